#include "cpu/run/tuples.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dmlindex::cpu {
namespace {

struct Axis {
    std::int64_t limit;
    std::int64_t stride;  // in elements of 4 bytes
};

// Whether tuples into a table of such axes are flattened, where the ISA can.
bool are_flattened(const std::vector<Axis>& axes) {
    const auto count = static_cast<std::int64_t>(axes.size());
    Plan plan;
    begin_plan(Direction::kGather, IndexType::kInt64, 4, plan);
    plan.slice_bytes = 4;
    plan.rank = 1;
    plan.dims[0] = {5000, 0, 4, 8 * count};
    plan.coordinate_count = static_cast<int>(count);
    for (int k = 0; k < plan.coordinate_count; ++k) {
        const Axis& axis = axes[static_cast<std::size_t>(k)];
        plan.coordinates[k] = {axis.limit, 4 * axis.stride, 8 * k, k};
    }
    return flatten_for(plan) != nullptr;
}

TEST(Tuples, IntoAPackedTableAreFlattenedWhateverTheOrderOfItsAxes) {
    const bool can = kernels().flatten[static_cast<int>(IndexType::kInt64)][0] != nullptr;
    EXPECT_EQ(are_flattened({{3, 4}, {4, 1}}), can);
    EXPECT_EQ(are_flattened({{3, 1}, {4, 3}}), can);
    EXPECT_EQ(are_flattened({{5, 6}, {3, 1}, {2, 3}, {1, -77}}), can);
    EXPECT_EQ(are_flattened({{1, 0}, {1, 0}}), can);
    EXPECT_EQ(are_flattened({{1 << 15, 1 << 14}, {1 << 14, 1}}), can);
}

// What lies between their places may not be there.
TEST(Tuples, IntoATableWithGapsAreNot) {
    EXPECT_FALSE(are_flattened({{2, 4097}, {2049, 0}}));  // its places reach as far as are there
    EXPECT_FALSE(are_flattened({{3, 2}, {3, 2}}));
    EXPECT_FALSE(are_flattened({{3, 8}, {4, 2}}));
    EXPECT_FALSE(are_flattened({{3, -4}, {4, 1}}));
    EXPECT_FALSE(are_flattened({{3, 5}, {4, 1}}));
}

TEST(Tuples, OneOrFiveIndicesAreNotNorAreTooManyPlaces) {
    EXPECT_FALSE(are_flattened({{12, 1}}));
    EXPECT_FALSE(are_flattened({{2, 16}, {2, 8}, {2, 4}, {2, 2}, {2, 1}}));
    EXPECT_FALSE(are_flattened({{1 << 15, 1 << 15}, {1 << 15, 1}}));
    EXPECT_FALSE(are_flattened({{2, std::int64_t{1} << 40}, {std::int64_t{1} << 40, 1}}));
}

}  // namespace
}  // namespace dmlindex::cpu
