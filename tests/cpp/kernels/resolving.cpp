// The trials of the kernels that turn indices into offsets, or into elements at once.
#include <algorithm>
#include <limits>

#include "harness.hpp"

namespace dmlindex::test {
namespace {

using cpu::IndexRun;

constexpr std::int64_t power(int exponent) { return std::int64_t{1} << exponent; }

std::int64_t any_limit(Random& random) {
    const std::int64_t border =
        power(static_cast<int>(random.one_of({7, 8, 15, 16, 31, 32}))) + random.between(-1, 1);
    return random.one_of(
        {std::int64_t{1}, std::int64_t{2}, random.between(3, 300), border, border, power(62)});
}

// In range, out of range by little, and the ends of every type: put_index keeps the low bytes.
std::int64_t any_index(Random& random, IndexType type, std::int64_t limit, bool hostile) {
    if (hostile || limit == 0) {
        const std::int64_t end = power(static_cast<int>(random.one_of({7, 8, 15, 16, 31, 32})));
        return random.one_of({random.between(-limit, std::max<std::int64_t>(limit - 1, 0)), limit,
                              -limit, -limit - 1, std::int64_t{-1}, end, end - 1, -end,
                              std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max()});
    }
    return random.one_of({std::int64_t{0}, limit - 1, is_signed(type) ? -limit : limit - 1,
                          random.between(0, limit - 1),
                          random.between(is_signed(type) ? -limit : 0, limit - 1)});
}

// Puts the low bytes of a value to both buffers.
void put(const Twin& to, std::int64_t value, std::int64_t bytes) {
    std::memcpy(to.data, &value, static_cast<std::size_t>(bytes));
    std::memcpy(to.expected, &value, static_cast<std::size_t>(bytes));
}

// Returns the index as its type holds it, extended to 64 bits.
std::uint64_t put_index(const Twin& to, IndexType type, std::int64_t value) {
    put(to, value, index_bytes(type));
    return index_bits(to.data, type);
}

// How often a trial's indices are out of range: never, here and there, mostly.
std::int64_t hostility(Case& c) {
    return c.timed
               ? 0
               : c.random.one_of({std::int64_t{0}, std::int64_t{0}, c.count + 1, std::int64_t{1}});
}

bool now_and_then(Random& random, std::int64_t one_in) {
    return one_in > 0 && random.one_in(one_in);
}

void store(const Twin& offsets, std::int64_t i, std::int64_t value) {
    std::memcpy(offsets.expected + 8 * i, &value, sizeof value);
}

std::int64_t* as_offsets(const Twin& twin) { return reinterpret_cast<std::int64_t*>(twin.data); }

void try_resolve(Case& c, cpu::ResolveKernel kernel) {
    Random& random = c.random;
    const auto type = c.at<IndexType>(0);
    const auto mode = c.at<Mode>(1);
    const std::int64_t bytes = index_bytes(type);
    const std::int64_t numbers = c.timed ? 1 : random.between(1, 3);
    const std::int64_t hostile = hostility(c);
    Coordinate coordinates[3] = {};
    for (std::int64_t k = 0; k < numbers; ++k) {
        Coordinate& coordinate = coordinates[k];
        coordinate.limit = c.timed ? 1000 : any_limit(random);
        if (mode == Mode::kSkip && !c.timed && random.one_in(8)) coordinate.limit = 0;
        const std::int64_t stride =
            random.one_of({std::int64_t{0}, std::int64_t{1}, std::int64_t{12}, std::int64_t{-4},
                           power(31), power(32) - 1, power(32), -power(33)});
        const bool fits = coordinate.limit <= power(61) / (std::abs(stride) + 1);
        // Offsets have 64 bits: two axes of 2^62 places would take more.
        const std::int64_t least = numbers == 1 ? random.between(-1, 1) : 0;
        coordinate.table_stride = c.timed ? 4 : fits ? stride : least;
        coordinate.index_offset = k * bytes;
    }
    const std::int64_t packed = numbers * bytes;
    const std::int64_t stride =
        c.timed ? packed
                : random.one_of({packed, packed, -packed, 2 * packed, packed + 1, std::int64_t{0}});
    const Pieces tuples = c.pieces(c.count, packed, stride);
    const Twin offsets = c.buffer(8 * c.count, 8);
    const IndexRun run{tuples.origin.data,
                       stride,
                       c.count,
                       c.timed ? 0 : random.between(-1000, 1000),
                       c.timed ? 0 : random.between(-8, 8),
                       coordinates,
                       static_cast<int>(numbers)};
    for (std::int64_t i = 0; i < (stride == 0 ? std::min<std::int64_t>(c.count, 1) : c.count);
         ++i) {
        for (std::int64_t k = 0; k < numbers; ++k) {
            put_index(tuples.at(i) + k * bytes, type,
                      any_index(random, type, coordinates[k].limit, now_and_then(random, hostile)));
        }
    }
    bool good = true;
    for (std::int64_t i = 0; i < c.count; ++i) {
        std::int64_t offset = run.table_offset + i * run.table_stride;
        bool inside = true;
        for (std::int64_t k = 0; k < numbers; ++k) {
            const auto place = place_of(index_bits(tuples.at(i).data + k * bytes, type), type, mode,
                                        coordinates[k].limit);
            inside = inside && place.has_value();
            if (inside) offset += *place * coordinates[k].table_stride;
        }
        good = good && (inside || mode == Mode::kSkip);
        store(offsets, i, inside ? offset : cpu::kSkipped);
    }
    bool got = false;
    c.call([&] { got = kernel(run, as_offsets(offsets)); });
    c.same("resolved", got, good);
    if (!good) Case::accept(offsets, 8 * c.count);
}

// Addresses on a line, by the rule in whole numbers; strides and limits are what descriptors hold.
void try_address(Case& c, cpu::AddressKernel kernel) {
    Random& random = c.random;
    const auto type = c.at<IndexType>(0);
    const std::int64_t bytes = index_bytes(type);
    const std::int64_t numbers = c.timed ? 1 : random.between(1, 3);
    const std::int64_t hostile = hostility(c);
    const auto any_stride = [&] {
        return random.one_of(
            {std::int64_t{0}, std::int64_t{1}, random.between(0, 1000), power(31), power(32) - 1});
    };
    Coordinate coordinates[3] = {};
    for (std::int64_t k = 0; k < numbers; ++k) {
        coordinates[k].limit = c.timed ? 1000 : std::min(any_limit(random), power(32) - 1);
        coordinates[k].table_stride = c.timed ? 1 : any_stride();
        coordinates[k].index_offset = k * bytes;
    }
    const std::int64_t packed = numbers * bytes;
    const std::int64_t stride =
        c.timed ? packed : random.one_of({packed, packed, -packed, packed + 1, std::int64_t{0}});
    const Pieces tuples = c.pieces(c.count, packed, stride);
    const Twin addresses = c.buffer(8 * c.count, 8);
    const std::int64_t most =
        random.one_of({std::int64_t{0}, std::int64_t{1000}, power(31), power(32) - 1});
    const std::int64_t unit = random.one_of({std::int64_t{1}, std::int64_t{2}, std::int64_t{8}});
    const IndexRun run{tuples.origin.data,
                       stride,
                       c.count,
                       c.timed ? 0 : any_stride(),
                       c.timed ? 0 : any_stride(),
                       coordinates,
                       static_cast<int>(numbers)};
    for (std::int64_t i = 0; i < (stride == 0 ? std::min<std::int64_t>(c.count, 1) : c.count);
         ++i) {
        for (std::int64_t k = 0; k < numbers; ++k) {
            put_index(tuples.at(i) + k * bytes, type,
                      any_index(random, type, coordinates[k].limit, now_and_then(random, hostile)));
        }
    }
    for (std::int64_t i = 0; i < c.count; ++i) {
        const auto low = [](std::int64_t number) { return static_cast<std::uint32_t>(number); };
        std::uint32_t address = low(run.table_offset + i * run.table_stride);
        for (std::int64_t k = 0; k < numbers; ++k) {
            const auto index =
                static_cast<std::int64_t>(index_bits(tuples.at(i).data + k * bytes, type));
            address += (low(index) + (index < 0 ? low(coordinates[k].limit) : 0)) *
                       low(coordinates[k].table_stride);
        }
        store(addresses, i, unit * std::min<std::int64_t>(address, most));
    }
    c.call([&] { kernel(run, most, unit, as_offsets(addresses)); });
}

// Look-ups stop before the first step that holds an index which has no place by itself. Tables past
// 1000 places are too large to have here: indices stay among their first ones.
void try_look_up_in(Case& c, cpu::LookUpKernel kernel, std::int64_t limit) {
    Random& random = c.random;
    const auto type = c.at<IndexType>(0);
    const auto mode = c.at<Mode>(1);
    const std::int64_t bytes = cpu::kClassBytes[c.at(2)];
    const std::int64_t index_size = index_bytes(type);
    const bool vast = limit > 1000;
    const std::int64_t hostile = vast ? 0 : hostility(c);
    const Twin table = c.buffer(std::min<std::int64_t>(limit, 1000) * bytes);
    const Twin indices = c.buffer(c.count * index_size);
    const Twin items = c.buffer(c.count * bytes);
    const auto place = [&](std::int64_t i) {
        return place_of(index_bits(indices.data + i * index_size, type), type,
                        mode == Mode::kClamp ? Mode::kClamp : Mode::kRaise, limit);
    };
    for (std::int64_t i = 0; i < c.count; ++i) {
        put_index(indices + i * index_size, type,
                  vast ? random.between(0, 100)
                       : any_index(random, type, limit, now_and_then(random, hostile)));
    }
    const Coordinate coordinate{limit, bytes, 0, 0};
    const IndexRun run{indices.data, index_size, c.count, 0, 0, &coordinate, 1};
    std::int64_t moved = 0;
    c.call([&] {
        if (kernel != nullptr) {
            moved = kernel(run, table.data, items.data);
        } else {  // what runs where there is none
            std::int64_t offsets[Case::kTimedCount];
            c.kernels.resolve[c.at(0)][c.at(1)](run, offsets);
            c.kernels.gather[c.at(2)]({table.data, offsets, c.count, items.data, bytes, bytes,
                                       bytes, false, nullptr, nullptr});
        }
    });
    std::int64_t inside = 0;
    while (inside < c.count && place(inside)) ++inside;
    // More than 32-bit lanes can place may be left to others.
    if (moved != 0 || limit <= power(30))
        c.same("moved", moved, inside - inside % cpu::kLookUpStep);
    for (std::int64_t i = 0; i < std::min(moved, inside); ++i) {
        std::memcpy(items.expected + i * bytes, table.data + *place(i) * bytes,
                    static_cast<std::size_t>(bytes));
    }
}

void try_look_up(Case& c, cpu::LookUpKernel kernel) {
    const bool skips = c.at<Mode>(1) == Mode::kSkip;
    try_look_up_in(c, kernel,
                   c.timed ? 1000
                           : c.random.one_of({std::int64_t{skips ? 0 : 1}, c.random.between(2, 300),
                                              std::int64_t{999}, power(30) - 1, power(30),
                                              power(30) + 1, power(31), power(40)}));
}

// At the borders of what a register holds.
void try_look_up_small(Case& c, cpu::LookUpKernel kernel) {
    const std::int64_t most = c.timed ? 64 : c.kernels.small_table[c.at(2)];
    const bool skips = c.at<Mode>(1) == Mode::kSkip;
    const std::int64_t limit =
        c.random.one_of({std::int64_t{skips ? 0 : 1}, most, most / 2 + 1, most / 2, most / 2 - 1,
                         most / 4 + 1, most / 4, c.random.between(1, most)});
    try_look_up_in(c, kernel, c.timed ? most : std::min(limit, most));
}

std::int64_t most_of(int width_class) {
    return width_class == 3 ? power(62) : power(8 << width_class) - 1;
}

void try_pack(Case& c, cpu::PackKernel kernel) {
    const std::int64_t width = power(c.at(0));
    const std::int64_t most = most_of(c.at(0));
    const Twin offsets = c.buffer(8 * c.count, 8);
    const Twin packed = c.buffer(width * c.count);
    const std::int64_t lowest = c.random.between(-power(40), power(40));
    for (std::int64_t i = 0; i < c.count; ++i) {
        const std::int64_t value =
            c.random.one_of({std::int64_t{0}, most, c.random.between(0, most)});
        put(offsets + 8 * i, lowest + value, 8);
        std::memcpy(packed.expected + width * i, &value, static_cast<std::size_t>(width));
    }
    c.call([&] { kernel(as_offsets(offsets), c.count, lowest, packed.data); });
}

void try_unpack(Case& c, cpu::ResolveKernel kernel) {
    Random& random = c.random;
    const std::int64_t width = power(c.at(0));
    const std::int64_t unit =
        c.timed ? 4
                : random.one_of({std::int64_t{1}, std::int64_t{4}, std::int64_t{12}, power(31),
                                 power(32) - 1, power(32), power(33)});
    const std::int64_t most = std::min(most_of(c.at(0)), power(61) / unit);
    const std::int64_t stride =
        c.timed ? width : random.one_of({width, width, 2 * width, std::int64_t{0}});
    const Pieces packed = c.pieces(c.count, width, stride);
    const Twin offsets = c.buffer(8 * c.count, 8);
    const Coordinate coordinate{most + 1, unit, 0, 0};
    const IndexRun run{packed.origin.data,    stride,      c.count, random.between(-1000, 1000),
                       random.between(-8, 8), &coordinate, 1};
    std::int64_t value = 0;
    for (std::int64_t i = 0; i < c.count; ++i) {
        if (i == 0 || stride != 0)
            value = random.one_of({std::int64_t{0}, most, random.between(0, most)});
        put(packed.at(i), value, width);
        store(offsets, i, run.table_offset + i * run.table_stride + value * unit);
    }
    bool good = false;
    c.call([&] { good = kernel(run, as_offsets(offsets)); });
    c.same("resolved", good, true);
}

void try_hold(Case& c, cpu::HoldKernel kernel) {
    Random& random = c.random;
    const auto type = c.at<IndexType>(0);
    const std::int64_t width = power(c.at(1));
    const std::int64_t limit = c.timed ? 200 : std::min(any_limit(random), most_of(c.at(1)) + 1);
    const std::int64_t hostile = hostility(c);
    const Twin indices = c.buffer(c.count * index_bytes(type));
    const Twin packed = c.buffer(width * c.count);
    bool good = true;
    for (std::int64_t i = 0; i < c.count; ++i) {
        const std::uint64_t bits =
            put_index(indices + i * index_bytes(type), type,
                      any_index(random, type, limit, now_and_then(random, hostile)));
        const auto place = place_of(bits, type, Mode::kRaise, limit);
        good = good && place;
        if (place) {
            std::memcpy(packed.expected + width * i, &*place, static_cast<std::size_t>(width));
        }
    }
    const Coordinate coordinate{limit, 1, 0, 0};
    const IndexRun run{indices.data, index_bytes(type), c.count, 0, 0, &coordinate, 1};
    bool got = false;
    c.call([&] {
        if (kernel != nullptr) {
            got = kernel(run, packed.data);
        } else {  // what runs where there is none
            std::int64_t offsets[Case::kTimedCount];
            c.kernels.resolve[c.at(0)][static_cast<int>(Mode::kRaise)](run, offsets);
            c.kernels.pack[c.at(1)](offsets, c.count, 0, packed.data);
        }
    });
    c.same("resolved", got, good);
    if (!good) Case::accept(packed, width * c.count);
}

}  // namespace

std::vector<Family> resolve_families() {
    using cpu::Kernels;
    const std::vector<Axis> look_up = {Axis::kIndexType, Axis::kMode, Axis::kSlice};
    return {
        family<&Kernels::resolve, try_resolve>("resolve", {Axis::kIndexType, Axis::kMode}),
        family<&Kernels::address, try_address>("address", {Axis::kIndexType}),
        family<&Kernels::look_up, try_look_up>("look_up", look_up),
        family<&Kernels::look_up_small, try_look_up_small>("look_up_small", look_up),
        family<&Kernels::pack, try_pack>("pack", {Axis::kWidth}),
        family<&Kernels::hold, try_hold>("hold", {Axis::kIndexType, Axis::kWidth}),
        family<&Kernels::unpack, try_unpack>("unpack", {Axis::kWidth}),
    };
}

}  // namespace dmlindex::test
