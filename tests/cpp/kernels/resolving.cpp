// The trials of the kernels that turn indices into offsets or addresses.
#include <algorithm>
#include <cstdlib>

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
    const cpu::IndexRun run =
        tuples.run(c.timed ? 0 : random.between(-1000, 1000), c.timed ? 0 : random.between(-8, 8));
    bool good = true;
    for (std::int64_t i = 0; i < c.count; ++i) {
        std::int64_t offset = run.table_offset + i * run.table_stride;
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

// Addresses on a line, by the rule in whole numbers; strides and limits are what descriptors hold.
void try_address(Case& c, cpu::AddressKernel kernel) {
    Random& random = c.random;
    const auto any_stride = [&] {
        return random.one_of(
            {std::int64_t{0}, std::int64_t{1}, random.between(0, 1000), power(31), power(32) - 1});
    };
    const Tuples tuples = any_tuples(c, c.at<IndexType>(0), [&](int) {
        if (c.timed) return Coordinate{1000, 1, 0, 0};
        const std::int64_t limit = std::min(any_limit(random), power(32) - 1);
        return Coordinate{limit, any_stride(), 0, 0};
    });
    const Twin addresses = c.buffer(8 * c.count, 8);
    const std::int64_t most =
        random.one_of({std::int64_t{0}, std::int64_t{1000}, power(31), power(32) - 1});
    const std::int64_t unit = random.one_of({std::int64_t{1}, std::int64_t{2}, std::int64_t{8}});
    const cpu::IndexRun run = tuples.run(c.timed ? 0 : any_stride(), c.timed ? 0 : any_stride());
    for (std::int64_t i = 0; i < c.count; ++i) {
        const auto low = [](std::int64_t number) { return static_cast<std::uint32_t>(number); };
        std::uint32_t address = low(run.table_offset + i * run.table_stride);
        for (int k = 0; k < tuples.numbers; ++k) {
            const Coordinate& coordinate = tuples.coordinates[k];
            const auto index = static_cast<std::int64_t>(tuples.bits(i, k));
            address += (low(index) + (index < 0 ? low(coordinate.limit) : 0)) *
                       low(coordinate.table_stride);
        }
        expect_offset(addresses, i, unit * std::min<std::int64_t>(address, most));
    }
    c.call([&] { kernel(run, most, unit, as_offsets(addresses)); });
}

}  // namespace

std::vector<Family> resolve_families() {
    using cpu::Kernels;
    return {
        family<&Kernels::resolve, try_resolve>("resolve", {Axis::kIndexType, Axis::kMode}),
        family<&Kernels::address, try_address>("address", {Axis::kIndexType}),
    };
}

}  // namespace dmlindex::test
