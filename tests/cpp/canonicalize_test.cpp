#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "operators/operators.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

Layout packed(const Sizes& sizes, std::int64_t element_bytes) {
    return packed_tensor(sizes, element_bytes).layout;
}

Plan gather_plan(const Sizes& input, const Sizes& indices, const Sizes& output, int axis) {
    Plan plan;
    begin_plan(Direction::kGather, IndexType::kInt64, 4, plan);
    lower_gather(packed(input, 4), packed(indices, 8), packed(output, 4), axis, plan);
    canonicalize(plan);
    return plan;
}

TEST(Canonicalize, RowsBecomeOneDimAndASlice) {
    const Plan plan = gather_plan({10, 3, 5}, {2, 4}, {2, 4, 3, 5}, 0);
    EXPECT_EQ(plan.rank, 1);
    EXPECT_EQ(plan.dims[0].size, 8);
    EXPECT_EQ(plan.dims[0].index_stride, 8);
    EXPECT_EQ(plan.slice_bytes, 60);
}

TEST(Canonicalize, ScalarsBecomeOneDim) {
    const Plan plan = gather_plan({10}, {2, 4}, {2, 4}, 0);
    EXPECT_EQ(plan.rank, 1);
    EXPECT_EQ(plan.slice_bytes, 4);
}

TEST(Canonicalize, ASingleIndexIsASliceCopy) {
    const Plan plan = gather_plan({10, 3}, {}, {3}, 0);
    EXPECT_EQ(plan.rank, 0);
    EXPECT_EQ(plan.slice_bytes, 12);
}

TEST(Canonicalize, DimsBeforeTheAxisStayApartFromIndices) {
    const Plan plan = gather_plan({2, 3, 10, 5}, {4}, {2, 3, 4, 5}, 2);
    EXPECT_EQ(plan.rank, 2);
    EXPECT_EQ(plan.dims[0].size, 6);
    EXPECT_EQ(plan.dims[1].size, 4);
    EXPECT_EQ(plan.slice_bytes, 20);
}

// The same sizes with the first dim next to each other in memory.
Layout columns_first(const Sizes& sizes, std::int64_t element_bytes) {
    Layout layout = packed(Sizes(sizes.rbegin(), sizes.rend()), element_bytes);
    std::reverse(layout.sizes, layout.sizes + layout.rank);
    std::reverse(layout.strides, layout.strides + layout.rank);
    return layout;
}

TEST(Canonicalize, DimsLieAsWhatIsWritten) {
    Plan plan;
    begin_plan(Direction::kGather, IndexType::kInt64, 4, plan);
    lower_gather(columns_first({3, 5, 10}, 4), packed({4}, 8), columns_first({3, 5, 4}, 4), 2,
                 plan);
    canonicalize(plan);
    EXPECT_EQ(plan.rank, 1);
    EXPECT_EQ(plan.dims[0].index_stride, 8);
    EXPECT_EQ(plan.slice_bytes, 60);
}

Plan scatter_of_columns(bool is_linear) {
    Plan plan;
    begin_plan(Direction::kScatter, IndexType::kInt64, 4, plan);
    plan.is_linear = is_linear;
    const Sizes updates = {3, 2, 5};
    lower_scatter_elements(columns_first({3, 4, 5}, 4), packed(updates, 8), packed(updates, 4), 1,
                           plan);
    canonicalize(plan);
    return plan;
}

TEST(Canonicalize, UpdatesThatMayMeetStayInOrder) {
    const auto sizes = [](const Plan& plan) {
        return Sizes{plan.dims[0].size, plan.dims[1].size, plan.dims[2].size};
    };
    EXPECT_EQ(sizes(scatter_of_columns(false)), (Sizes{5, 2, 3}));
    EXPECT_EQ(sizes(scatter_of_columns(true)), (Sizes{3, 2, 5}));
}

TEST(Canonicalize, AnEmptyDimStays) {
    const Plan plan = gather_plan({10, 0}, {4}, {4, 0}, 0);
    EXPECT_TRUE(std::any_of(plan.dims, plan.dims + plan.rank,
                            [](const Dim& dim) { return dim.size == 0; }));
}

TEST(Canonicalize, APackedCopyIsOnePiece) {
    Plan plan;
    begin_plan(Direction::kScatter, IndexType::kInt32, 2, plan);
    lower_copy(packed({3, 4, 5}, 2), packed({3, 4, 5}, 2), plan);
    canonicalize(plan);
    EXPECT_EQ(plan.copy_rank, 0);
    EXPECT_EQ(plan.copy_bytes, 120);
}

TEST(Canonicalize, MovesTheSameBytes) {
    Random random(1);
    for (int i = 0; i < 4000; ++i) {
        RandomCall call = random_call(random, true);
        RandomCall again = call;
        canonicalize(again.plan);
        const auto bad = run_by_formula(call.plan, call.buffers());
        const auto bad_again = run_by_formula(again.plan, again.buffers());
        ASSERT_EQ(bad.has_value(), bad_again.has_value()) << "call " << i;
        ASSERT_EQ(call.table, again.table) << "call " << i;
        ASSERT_EQ(call.items, again.items) << "call " << i;
    }
}

TEST(Canonicalize, NoModeIsNeededWhereNoIndexCanBeOutOfRange) {
    constexpr std::int64_t kOne = 1;
    const std::pair<IndexType, std::int64_t> reaches[] = {
        {IndexType::kInt8, kOne << 7},
        {IndexType::kUint8, kOne << 8},
        {IndexType::kInt16, kOne << 15},
        {IndexType::kUint16, kOne << 16},
        {IndexType::kInt32, kOne << 31},
        {IndexType::kUint32, kOne << 32},
        {IndexType::kInt64, std::numeric_limits<std::int64_t>::max()},
        {IndexType::kUint64, std::numeric_limits<std::int64_t>::max()},
    };
    for (const auto& [type, reach] : reaches) {
        for (const Mode mode : {Mode::kRaise, Mode::kWrap, Mode::kSkip}) {
            for (const std::int64_t shorter : {0, 1}) {
                Plan plan = gather_plan({10, 10, 3}, {4, 2}, {4, 2, 10, 3}, 0);
                plan.index_type = type;
                plan.mode = mode;
                plan.coordinate_count = 2;
                plan.coordinates[0].limit = reach;
                plan.coordinates[1] = plan.coordinates[0];
                plan.coordinates[1].limit = reach - shorter;
                canonicalize(plan);
                const bool never = shorter == 0 && index_bytes(type) < 8;
                EXPECT_EQ(plan.mode, never ? Mode::kClamp : mode) << static_cast<int>(type);
            }
        }
    }
}

TEST(Canonicalize, LeavesNothingToDo) {
    Random random(2);
    for (int i = 0; i < 2000; ++i) {
        Plan plan = random_call(random, false).plan;
        canonicalize(plan);
        const Plan once = plan;
        canonicalize(plan);
        ASSERT_EQ(plan.rank, once.rank);
        ASSERT_EQ(plan.slice_bytes, once.slice_bytes);
        ASSERT_EQ(plan.copy_rank, once.copy_rank);
        ASSERT_EQ(plan.copy_bytes, once.copy_bytes);
        for (int d = 0; d < plan.rank; ++d) ASSERT_NE(plan.dims[d].size, 1);
    }
}

}  // namespace
}  // namespace dmlindex::test
