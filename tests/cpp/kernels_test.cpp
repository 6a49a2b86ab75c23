// The kernels of every ISA that this machine has, slot by slot, against plain ones.
#include "cpu/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "support.hpp"

namespace dmlindex::test {
namespace {

constexpr std::int64_t kGuardBytes = 64;

int slot(auto value) { return static_cast<int>(value); }

// In range, out of range by little, and the type's extremes: set_index keeps the low bytes.
std::int64_t random_index(Random& random, std::int64_t limit, bool hostile) {
    if (!hostile) return random.between(0, limit - 1);
    return random.one_of({random.between(-limit, limit - 1), limit, -limit - 1, std::int64_t{-1},
                          std::int64_t{1} << 31, -(std::int64_t{1} << 31), std::int64_t{1} << 32,
                          std::numeric_limits<std::int64_t>::min(),
                          std::numeric_limits<std::int64_t>::max()});
}

TEST(Kernels, ResolveAsTheScalarOnes) {
    Random random(21);
    const cpu::Kernels plain = cpu::kernels_of("scalar");
    for (const std::string& isa : cpu::supported_isas()) {
        const cpu::Kernels kernels = cpu::kernels_of(isa);
        for (int i = 0; i < 20000 && !testing::Test::HasFailure(); ++i) {
            SCOPED_TRACE(isa + ", call " + std::to_string(i));
            const IndexType type = random.one_of(kAllIndexTypes);
            const Mode mode = random.one_of(kAllModes);
            const std::int64_t count = random.between(0, 40);
            const int coordinate_count = slot(random.between(1, 3));
            const bool hostile = random.one_in(2);
            Tensor indices = packed_tensor({count, coordinate_count}, index_bytes(type));
            Coordinate coordinates[3] = {};
            for (int k = 0; k < coordinate_count; ++k) {
                coordinates[k].limit =
                    random.one_of({std::int64_t{1}, random.between(1, 100), std::int64_t{1} << 32,
                                   (std::int64_t{1} << 32) + 1});
                const std::int64_t large = std::int64_t{1}
                                           << (coordinates[k].limit <= 100 ? 32 : 28);
                coordinates[k].table_stride =
                    random.one_of({std::int64_t{0}, std::int64_t{1}, std::int64_t{12},
                                   std::int64_t{-4}, large - 1});
                coordinates[k].index_offset = k * index_bytes(type);
                for (std::int64_t p = 0; p < count; ++p) {
                    set_index(indices, Sizes{p, k},
                              random_index(random, coordinates[k].limit,
                                           hostile && random.one_in(count)));
                }
            }
            const cpu::IndexRun run{indices.data(),
                                    coordinate_count * index_bytes(type),
                                    count,
                                    random.between(-1000, 1000),
                                    random.between(-8, 8),
                                    coordinates,
                                    coordinate_count};
            constexpr std::int64_t kUntouched = 99;
            std::vector<std::int64_t> expected(static_cast<std::size_t>(count) + 1, kUntouched);
            std::vector<std::int64_t> offsets = expected;
            const bool inside = plain.resolve[slot(type)][slot(mode)](run, expected.data());
            ASSERT_EQ(kernels.resolve[slot(type)][slot(mode)](run, offsets.data()), inside);
            EXPECT_EQ(offsets.back(), kUntouched);
            if (inside) {
                EXPECT_EQ(offsets, expected);
            }
        }
    }
}

// Tables at the borders of what registers hold, and larger ones.
TEST(Kernels, LookUp) {
    Random random(22);
    for (const std::string& isa : cpu::supported_isas()) {
        const cpu::Kernels kernels = cpu::kernels_of(isa);
        for (int i = 0; i < 20000 && !testing::Test::HasFailure(); ++i) {
            SCOPED_TRACE(isa + ", call " + std::to_string(i));
            const IndexType type = random.one_of(kAllIndexTypes);
            const Mode mode = random.one_of(kAllModes);
            const std::int64_t bytes = random.one_of({1, 2, 4, 8, 16});
            const std::int64_t limit = random.one_of(
                {1, 15, 16, 17, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 999});
            const cpu::LookUpKernel look_up =
                cpu::look_up_for(kernels, type, mode, cpu::slice_class(bytes), limit);
            if (look_up == nullptr) continue;  // the scalar table has none

            const std::int64_t count = random.one_of({random.between(0, 40), std::int64_t{300}});
            const bool hostile = random.one_in(2);
            Tensor indices = packed_tensor({count}, index_bytes(type));
            std::vector<std::byte> table(static_cast<std::size_t>(limit * bytes));
            random.fill(table);
            for (std::int64_t p = 0; p < count; ++p) {
                set_index(indices, Sizes{p},
                          random_index(random, limit, hostile && random.one_in(count)));
            }
            std::vector<std::byte> items(static_cast<std::size_t>(count * bytes + kGuardBytes));
            std::vector<std::byte> expected = items;
            const Coordinate coordinate{limit, bytes, 0, 0};
            const cpu::IndexRun run{indices.data(), index_bytes(type), count, 0, 0, &coordinate, 1};
            const std::int64_t moved = look_up(run, table.data(), items.data());

            std::int64_t inside = 0;  // indices before the first that has no place by itself
            for (; inside < count; ++inside) {
                const auto bits =
                    static_cast<std::uint64_t>(get_index(indices, type, Sizes{inside}));
                const Mode own = mode == Mode::kClamp ? Mode::kClamp : Mode::kRaise;
                const auto place = place_of(bits, type, own, limit);
                if (!place) break;
                std::copy_n(table.begin() + *place * bytes, bytes,
                            expected.begin() + inside * bytes);
            }
            ASSERT_EQ(moved, inside - inside % cpu::kLookUpStep);
            std::fill(expected.begin() + moved * bytes, expected.end(), std::byte{});
            EXPECT_EQ(items, expected);
        }
    }
}

}  // namespace
}  // namespace dmlindex::test
