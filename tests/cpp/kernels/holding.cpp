// The trials of the kernels that use checked indices at once, and of those that hold them.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "indices.hpp"

namespace dmlindex::test {
namespace {

using cpu::IndexRun;

// Look-ups stop before the first step that holds an index which has no place by itself; the last
// step goes back over some positions, so that none are left behind whole steps. Fewer than a step
// go one by one, as all do without vectors. Vast tables are too large to have here: indices stay
// among their first places.
void try_look_up_in(Case& c, cpu::LookUpKernel kernel, std::int64_t limit) {
    Random& random = c.random;
    const auto type = c.at<IndexType>(0);
    const auto mode = c.at<Mode>(1);
    const std::int64_t class_bytes = cpu::kClassBytes[c.at(2)];
    const std::int64_t bytes =
        class_bytes != 0 ? class_bytes : random.one_of({5, 7, 9, 10, 11, 13, 14, 15});
    const std::int64_t index_size = index_bytes(type);
    constexpr std::int64_t kMostPlaces = 4096;
    const bool vast = limit > kMostPlaces;
    const std::int64_t hostile = vast ? 0 : hostility(c);
    const Twin table = c.buffer(std::min(limit, kMostPlaces) * bytes);
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
    IndexRun run{indices.data, index_size, c.count, 0, 0, &coordinate, 1};
    run.fetches_table = !c.timed && random.one_in(2);
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
    const bool one_by_one =
        c.count < cpu::kLookUpStep || std::string_view(c.kernels.name) == "scalar";
    // More than 32-bit lanes can place may be left to others.
    if (moved != 0 || limit <= power(30))
        c.same("moved", moved,
               inside == c.count || one_by_one ? inside : inside - inside % cpu::kLookUpStep);
    if (c.at(2) >= cpu::kElementClasses &&
        bytes <= cpu::kMostWidenedBytes) {  // they may leave anything where they went no further
        const std::int64_t end = std::min(inside, moved) * bytes;
        std::memcpy(items.expected + end, items.data + end,
                    static_cast<std::size_t>(c.count * bytes - end));
    }
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

// At the borders of what registers hold.
void try_look_up_small(Case& c, cpu::LookUpKernel kernel) {
    const std::int64_t most = c.kernels.small_table[c.at(2)];
    const bool skips = c.at<Mode>(1) == Mode::kSkip;
    const std::int64_t border = most >> c.random.between(0, 6);
    const std::int64_t limit = c.random.one_of(
        {std::int64_t{skips ? 0 : 1}, border, border + 1, border - 1, c.random.between(1, most)});
    try_look_up_in(c, kernel,
                   c.timed ? std::min<std::int64_t>(most, 64)
                           : std::clamp<std::int64_t>(limit, skips ? 0 : 1, most));
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
    IndexRun run{packed.origin.data,    stride,      c.count, random.between(-1000, 1000),
                 random.between(-8, 8), &coordinate, 1};
    const Twin places = c.buffer(8 * c.count, 8);
    if (!c.timed && random.one_in(2)) run.places = any_places(c, places);
    std::int64_t value = 0;
    for (std::int64_t i = 0; i < c.count; ++i) {
        if (i == 0 || stride != 0)
            value = random.one_of({std::int64_t{0}, most, random.between(0, most)});
        put(packed.at(i), value, width);
        expect_offset(offsets, i, place_before(run, i) + value * unit);
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

// Whole steps of positions and columns. Of a table with the most rows that 16 bits tell apart, only
// the last ones are there.
void try_gather_strip(Case& c, cpu::StripKernel kernel) {
    Random& random = c.random;
    const std::int64_t bytes = cpu::kClassBytes[c.at(0)];
    const std::int64_t count = c.count - c.count % cpu::kLookUpStep;
    const std::int64_t width = c.timed ? 32 : cpu::kLookUpStep * random.between(1, 8);
    const std::int64_t limit = c.timed ? 1000 : random.between(1, 300);
    const std::int64_t first = c.timed || random.one_in(2) ? 0 : power(16) - limit;
    const std::byte* const present = c.random_bytes(limit * width * bytes);
    const auto* const table =
        reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(present) -
                                           static_cast<std::uintptr_t>(first * width * bytes));
    const Twin rows = c.buffer(2 * count, 2);
    const Twin items = c.buffer(count * bytes);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row =
            random.one_of({std::int64_t{0}, limit - 1, random.between(0, limit - 1)});
        put(rows + 2 * i, first + row, 2);
        std::memcpy(items.expected + i * bytes, present + (row * width + i % width) * bytes,
                    static_cast<std::size_t>(bytes));
    }
    c.call([&] {
        kernel(reinterpret_cast<const std::uint16_t*>(rows.data), count, width, table, items.data);
    });
}

// Positions have places of their own, or follow each other at a stride, maybe backwards. Whole
// steps are moved before the first that holds an index without a place, and of what is left behind
// whole steps all before that index. Of vast tables only the first places are there.
void try_look_up_placed(Case& c, cpu::LookUpKernel kernel) {
    Random& random = c.random;
    const auto type = c.at<IndexType>(0);
    const auto mode = c.at<Mode>(1);
    const std::int64_t bytes = cpu::kClassBytes[c.at(2)];
    const std::int64_t index_size = index_bytes(type);
    const bool skips = mode == Mode::kSkip;
    const std::int64_t limit =
        c.timed ? 1000
                : random.one_of({std::int64_t{skips ? 0 : 1}, random.between(2, 300), power(31) + 1,
                                 power(32), power(32) + 1});
    constexpr std::int64_t kMostPlaces = 1000;
    const std::int64_t present = std::min(limit, kMostPlaces);
    const std::int64_t stride =
        c.timed ? bytes
                : random.one_of({bytes, -3 * bytes, std::int64_t{0}, random.between(-100, 100)});
    const std::int64_t step =
        c.timed ? bytes : random.one_of({std::int64_t{0}, bytes, random.between(-9, 9)});
    const std::int64_t spread = 16 * c.count;  // as far as the largest step
    const Twin indices = c.buffer(c.count * index_size);
    const Twin items = c.buffer(c.count * bytes);
    const Twin places = c.buffer(8 * c.count, 8);
    const std::int64_t reach = present * std::abs(stride);
    const std::byte* const table = c.random_bytes(2 * spread + reach + bytes);
    const Coordinate coordinate{limit, stride, 0, 0};
    const std::int64_t first = spread + (stride < 0 ? reach : 0);
    IndexRun run{indices.data, index_size, c.count, first, step, &coordinate, 1};
    if (!c.timed && random.one_in(2)) {
        for (std::int64_t i = 0; i < c.count; ++i) {
            put(places + 8 * i, static_cast<std::uint64_t>(random.between(-spread, spread)), 8);
        }
        run.places = as_offsets(places);
    }
    const std::int64_t hostile = limit > kMostPlaces ? 0 : hostility(c);
    for (std::int64_t i = 0; i < c.count; ++i) {
        put_index(indices + i * index_size, type,
                  limit > kMostPlaces
                      ? random.between(0, 100)
                      : any_index(random, type, limit, now_and_then(random, hostile)));
    }
    std::int64_t moved = 0;
    c.call([&] { moved = kernel(run, table, items.data); });
    const auto place = [&](std::int64_t i) {
        return place_of(index_bits(indices.data + i * index_size, type), type,
                        cpu::look_up_mode(mode), limit);
    };
    std::int64_t inside = 0;
    while (inside < c.count && place(inside)) ++inside;
    const bool one_by_one = std::string_view(c.kernels.name) == "scalar" ||
                            inside >= c.count - c.count % cpu::kLookUpStep;
    if (moved != 0 || limit <= power(31))
        c.same("moved", moved, one_by_one ? inside : inside - inside % cpu::kLookUpStep);
    for (std::int64_t i = 0; i < std::min(moved, inside); ++i) {
        std::memcpy(items.expected + i * bytes, table + place_before(run, i) + *place(i) * stride,
                    static_cast<std::size_t>(bytes));
    }
}

}  // namespace

std::vector<Family> hold_families() {
    using cpu::Kernels;
    const std::vector<Axis> look_up = {Axis::kIndexType, Axis::kMode, Axis::kSlice};
    return {
        family<&Kernels::look_up, try_look_up>("look_up", look_up),
        family<&Kernels::look_up_far, try_look_up>("look_up_far", look_up),
        family<&Kernels::look_up_singly, try_look_up>("look_up_singly", look_up),
        family<&Kernels::look_up_small, try_look_up_small>("look_up_small", look_up),
        family<&Kernels::look_up_placed, try_look_up_placed>("look_up_placed", look_up),
        family<&Kernels::gather_strip, try_gather_strip>("gather_strip", {Axis::kSlice}),
        family<&Kernels::pack, try_pack>("pack", {Axis::kWidth}),
        family<&Kernels::hold, try_hold>("hold", {Axis::kIndexType, Axis::kWidth}),
        family<&Kernels::unpack, try_unpack>("unpack", {Axis::kWidth}),
    };
}

}  // namespace dmlindex::test
