#include "plan/facts.hpp"

#include <gtest/gtest.h>

#include "operators/operators.hpp"
#include "plan/layout.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

// 5 tuples of two numbers, each for two slices of 3 elements.
Plan two_coordinates(std::int64_t first_limit, std::int64_t second_limit) {
    Plan plan;
    begin_plan(Direction::kGather, IndexType::kInt32, 4, plan);
    plan.slice_bytes = 12;
    plan.rank = 2;
    plan.dims[0] = {5, 0, 24, 8};
    plan.dims[1] = {2, 12, 12, 0};
    plan.coordinate_count = 2;
    plan.coordinates[0] = {first_limit, -240, 0, 0};
    plan.coordinates[1] = {second_limit, 24, 4, 1};
    plan.index_rank = 1;
    plan.index_dims[0] = {5, 8};
    return plan;
}

TEST(Facts, PositionsAreThoseOfAllDims) { EXPECT_EQ(position_count(two_coordinates(7, 10)), 10); }

TEST(Facts, IndicesCountEveryNumberOfATuple) { EXPECT_EQ(index_count(two_coordinates(7, 10)), 10); }

TEST(Facts, ReachIsToTheLastPlacesAndTheirSlice) {
    EXPECT_EQ(reached_bytes(two_coordinates(7, 10)), 6 * 240 + 9 * 24 + 12);
    EXPECT_EQ(reached_bytes(two_coordinates(1, 1)), 12);
}

TEST(Facts, AnAxisOfNoPlacesFailsWhateverTheMode) {
    for (const Mode mode : {Mode::kRaise, Mode::kClamp, Mode::kWrap, Mode::kSkip}) {
        Plan plan = two_coordinates(7, 0);
        plan.mode = mode;
        EXPECT_EQ(has_no_place(plan), mode != Mode::kSkip);
        EXPECT_EQ(may_fail(plan), mode != Mode::kSkip);
        plan.index_dims[0].size = 0;  // nobody asks for a place
        EXPECT_FALSE(has_no_place(plan));
        EXPECT_FALSE(may_fail(plan));
    }
}

TEST(Facts, IndicesMayFailInOneModeAlone) {
    for (const Mode mode : {Mode::kRaise, Mode::kClamp, Mode::kWrap, Mode::kSkip}) {
        Plan plan = two_coordinates(7, 10);
        plan.mode = mode;
        EXPECT_FALSE(has_no_place(plan));
        EXPECT_EQ(may_fail(plan), mode == Mode::kRaise);
        plan.is_linear = true;
        EXPECT_FALSE(may_fail(plan));
    }
}

TEST(Facts, OnTheLineAndThere) {
    EXPECT_EQ(present_elements({9, 20}), 10);
    EXPECT_EQ(present_elements({9, 10}), 10);
    EXPECT_EQ(present_elements({9, 4}), 4);
}

TEST(Facts, ElementsOfALayout) {
    EXPECT_EQ(element_count(packed_tensor({2, 3, 4}, 8).layout), 24);
    EXPECT_EQ(element_count(packed_tensor({}, 8).layout), 1);
}

TEST(Facts, StridesOfAnEmptyTensorAreThoseOfOnesInstead) {
    Layout layout;
    layout.rank = 3;
    layout.sizes[0] = 2;
    layout.sizes[1] = 0;
    layout.sizes[2] = 3;
    set_packed_strides(layout, 4, "gather");
    EXPECT_EQ(layout.strides[0], 12);
    EXPECT_EQ(layout.strides[1], 12);
    EXPECT_EQ(layout.strides[2], 4);
}

}  // namespace
}  // namespace dmlindex::test
