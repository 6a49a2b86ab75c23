// The trials of the kernels that turn indices into offsets or addresses.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "indices.hpp"

namespace dmlindex::test {
namespace {

void try_resolve(Case& c, cpu::ResolveKernel kernel) {
    Random& random = c.random;
    const auto type = c.at<IndexType>(0);
    const auto mode = c.at<Mode>(1);
    const Tuples tuples = any_tuples(c, type, [&](int numbers) {
        if (c.timed) return Coordinate{1000, 4, 0, 0};
        const std::int64_t limit = mode == Mode::kSkip && random.one_in(8) ? 0 : any_limit(random);
        const std::int64_t stride =
            random.one_of({std::int64_t{0}, std::int64_t{1}, std::int64_t{12}, std::int64_t{-4},
                           power(31), power(32) - 1, power(32), -power(33)});
        const bool fits = limit <= power(61) / (std::abs(stride) + 1);
        // Offsets have 64 bits: two axes of 2^62 places would take more.
        const std::int64_t least = numbers == 1 ? random.between(-1, 1) : 0;
        return Coordinate{limit, fits ? stride : least, 0, 0};
    });
    const Twin offsets = c.buffer(8 * c.count, 8);
    cpu::IndexRun run =
        tuples.run(c.timed ? 0 : random.between(-1000, 1000), c.timed ? 0 : random.between(-8, 8));
    const Twin places = c.buffer(8 * c.count, 8);
    if (!c.timed && random.one_in(2)) run.places = any_places(c, places);
    bool good = true;
    for (std::int64_t i = 0; i < c.count; ++i) {
        std::int64_t offset = place_before(run, i);
        bool inside = true;
        for (int k = 0; k < tuples.numbers; ++k) {
            const Coordinate& coordinate = tuples.coordinates[k];
            const auto place = place_of(tuples.bits(i, k), type, mode, coordinate.limit);
            inside = inside && place.has_value();
            if (inside) offset += *place * coordinate.table_stride;
        }
        good = good && (inside || mode == Mode::kSkip);
        expect_offset(offsets, i, inside ? offset : cpu::kSkipped);
    }
    bool got = false;
    c.call([&] { got = kernel(run, as_offsets(offsets)); });
    c.same("resolved", got, good);
    if (!good) Case::accept(offsets, 8 * c.count);
}

// A place on a line: what is left of a number by the rule, in whole numbers.
std::uint32_t low(std::int64_t number) { return static_cast<std::uint32_t>(number); }

std::uint32_t place_on_line(std::uint64_t bits, std::int64_t limit) {
    const auto index = static_cast<std::int64_t>(bits);
    return low(index) + (index < 0 ? low(limit) : 0);
}

// Strides and limits are what descriptors hold.
void try_address(Case& c, cpu::AddressKernel kernel) {
    Random& random = c.random;
    const std::int64_t width = random.one_of({std::int64_t{1}, std::int64_t{2}, std::int64_t{8}});
    const auto any_stride = [&] {  // in elements
        return random.one_of(
            {std::int64_t{0}, std::int64_t{1}, random.between(0, 1000), power(31), power(32) - 1});
    };
    const Tuples tuples = any_tuples(c, c.at<IndexType>(0), [&](int) {
        if (c.timed) return Coordinate{1000, width, 0, 0};
        const std::int64_t limit = std::min(any_limit(random), power(32) - 1);
        return Coordinate{limit, any_stride() * width, 0, 0};
    });
    const Twin offsets = c.buffer(8 * c.count, 8);
    const std::int64_t slice = random.one_of({std::int64_t{1}, random.between(1, 9)});
    const std::int64_t present = random.one_of(
        {std::int64_t{1}, random.between(1, 1000), power(31), power(32) - 1, power(32)});
    const cpu::LineSpan span{power(32) * width,
                             (present - slice) * width,
                             present * width,
                             (power(32) - slice) * width,
                             random.one_of({cpu::kSkipped, random.between(-1000, 1000)}),
                             slice == 1};
    const std::int64_t first = c.timed ? 0 : any_stride();
    const std::int64_t step = c.timed ? 0 : any_stride();
    const cpu::IndexRun run = tuples.run(first * width, step * width);
    bool whole = true;
    for (std::int64_t i = 0; i < c.count; ++i) {
        std::uint32_t sum = low(first + i * step);
        for (int k = 0; k < tuples.numbers; ++k) {
            const Coordinate& coordinate = tuples.coordinates[k];
            sum += place_on_line(tuples.bits(i, k), coordinate.limit) *
                   low(coordinate.table_stride / width);
        }
        const std::int64_t address = sum;
        const bool there = address + slice <= present;
        whole &= there || (address >= present && address + slice <= power(32));
        expect_offset(offsets, i, there ? address * width : span.behind);
    }
    bool got = false;
    c.call([&] { got = kernel(run, span, as_offsets(offsets)); });
    c.same("whole", got, whole);
}

// Rows of a line, where runs begin; indices out of range lead anywhere on it, or behind.
void try_line_look_up_in(Case& c, cpu::LineLookUpKernel kernel, std::int64_t limit) {
    Random& random = c.random;
    const auto type = c.at<IndexType>(0);
    const std::int64_t bytes = cpu::kClassBytes[c.at(1)];
    const std::int64_t index_size = index_bytes(type);
    const std::int64_t rows = c.timed ? 1 : random.one_of({std::int64_t{1}, random.between(1, 5)});
    const std::int64_t first = random.between(0, rows - 1) * limit;
    const std::int64_t last = rows * limit - 1 + (c.timed ? 0 : random.between(0, 2));
    const Twin line = c.buffer((last + 1) * bytes);
    const Twin indices = c.buffer(c.count * index_size);
    const Twin items = c.buffer(c.count * bytes);
    const std::int64_t hostile = hostility(c);
    for (std::int64_t i = 0; i < c.count; ++i) {
        const bool odd = now_and_then(random, hostile);
        const std::uint64_t bits =
            put_index(indices + i * index_size, type, any_index(random, type, limit, odd));
        const std::uint32_t place = place_on_line(bits, limit) + low(first);
        if (i < c.count - c.count % cpu::kLookUpStep) {
            std::memcpy(items.expected + i * bytes,
                        line.data + std::min<std::int64_t>(place, last) * bytes,
                        static_cast<std::size_t>(bytes));
        }
    }
    const Coordinate coordinate{limit, bytes, 0, 0};
    cpu::IndexRun run{indices.data, index_size, c.count, first, 0, &coordinate, 1};
    run.fetches_table = !c.timed && random.one_in(2);
    std::int64_t moved = 0;
    c.call([&] {
        if (kernel != nullptr) {
            moved = kernel(run, last, line.data, items.data);
        } else {  // what runs where there is none
            std::int64_t offsets[Case::kTimedCount];
            const cpu::LineSpan span{
                power(32) * bytes, last * bytes, (last + 1) * bytes, power(32) * bytes, 0, true};
            c.kernels.address[c.at(0)](run, span, offsets);
            c.kernels.gather[c.at(1)]({line.data, offsets, c.count, items.data, bytes, bytes, bytes,
                                       false, nullptr, nullptr});
        }
    });
    c.same("moved", moved, c.count - c.count % cpu::kLookUpStep);
}

void try_line_look_up(Case& c, cpu::LineLookUpKernel kernel) {
    try_line_look_up_in(
        c, kernel, c.timed ? 1000 : c.random.one_of({std::int64_t{1}, c.random.between(2, 300)}));
}

// At the borders of what registers hold.
void try_line_look_up_small(Case& c, cpu::LineLookUpKernel kernel) {
    const std::int64_t most = c.kernels.small_table[c.at(1)];
    const std::int64_t border = std::max<std::int64_t>(most >> c.random.between(0, 6), 1);
    const std::int64_t limit = c.random.one_of(
        {std::int64_t{1}, border, std::min(border + 1, most), c.random.between(1, most)});
    try_line_look_up_in(c, kernel, c.timed ? std::min<std::int64_t>(most, 64) : limit);
}

void try_flatten(Case& c, cpu::FlattenKernel kernel) {
    Random& random = c.random;
    const auto type = c.at<IndexType>(0);
    const Mode mode = cpu::look_up_mode(c.at<Mode>(1));
    const std::int64_t bytes = index_bytes(type);
    const int numbers = c.timed ? 3 : static_cast<int>(random.between(2, cpu::kMostFlattened));
    const int most = 29 / numbers;  // bits of a limit: places have 30
    Coordinate coordinates[cpu::kMostFlattened];
    std::int64_t stride = 1;
    for (int k = numbers; k-- > 0;) {
        const std::int64_t limit =
            c.timed ? 10 : random.one_of({std::int64_t{1}, random.between(2, 20), power(most)});
        coordinates[k] = {limit, stride, k * bytes, 0};
        stride *= limit;
    }
    if (!c.timed && random.one_in(4))
        std::swap(coordinates[0].table_stride, coordinates[1].table_stride);
    const Twin indices = c.buffer(c.count * numbers * bytes);
    const Twin places = c.buffer(c.count * 4, 4);
    const std::int64_t hostile = hostility(c);
    std::int64_t good = 0;
    for (std::int64_t i = 0; i < c.count; ++i) {
        bool inside = true;
        std::int64_t place = 0;
        for (int k = 0; k < numbers; ++k) {
            const std::int64_t limit = coordinates[k].limit;
            const std::uint64_t bits =
                put_index(indices + (i * numbers + k) * bytes, type,
                          any_index(random, type, limit, now_and_then(random, hostile)));
            const auto found = place_of(bits, type, mode, limit);
            inside = inside && found.has_value();
            if (inside) place += *found * coordinates[k].table_stride;
        }
        std::memcpy(places.expected + 4 * i, &place, 4);
        if (inside && good == i) ++good;
    }
    if (c.count < cpu::kLookUpStep) good = 0;
    if (good < c.count) good -= good % cpu::kLookUpStep;
    const cpu::IndexRun run{indices.data, numbers * bytes, c.count, 0, 0, coordinates, numbers};
    std::int64_t flattened = 0;
    c.call([&] {
        if (kernel != nullptr) {
            flattened = kernel(run, reinterpret_cast<std::uint32_t*>(places.data));
        } else {  // what runs where there is none
            std::int64_t offsets[Case::kTimedCount];
            c.kernels.resolve[c.at(0)][c.at(1)](run, offsets);
        }
    });
    c.same("flattened", flattened, good);
    Case::accept(places + 4 * good, 4 * (c.count - good));
}

}  // namespace

std::vector<Family> resolve_families() {
    using cpu::Kernels;
    return {
        family<&Kernels::resolve, try_resolve>("resolve", {Axis::kIndexType, Axis::kMode}),
        family<&Kernels::address, try_address>("address", {Axis::kIndexType}),
        family<&Kernels::flatten, try_flatten>("flatten", {Axis::kIndexType, Axis::kMode}),
        family<&Kernels::line_look_up, try_line_look_up>("line_look_up",
                                                         {Axis::kIndexType, Axis::kSlice}),
        family<&Kernels::line_look_up_small, try_line_look_up_small>(
            "line_look_up_small", {Axis::kIndexType, Axis::kSlice}),
    };
}

}  // namespace dmlindex::test
