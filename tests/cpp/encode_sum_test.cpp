// The kernels that sums are made of, and few positions.
#ifdef DMLINDEX_HAS_D3D12

#include <gtest/gtest.h>

#include "recorded.hpp"

namespace dmlindex {
namespace {

// Rows of a table, and how many are added to it, or stored.
struct Rows {
    std::int64_t table, columns, count;
};

Recorded queued_rows(const Rows& rows, ValueType type, std::int64_t bytes, bool copies,
                     Reduction reduction = Reduction::kAdd, bool any_order = true) {
    const Layout table = packed({rows.table, rows.columns}, bytes);
    const Layout items = packed({rows.count, rows.columns}, bytes);
    Plan plan;
    begin_plan(Direction::kScatter, IndexType::kInt32, bytes, plan);
    lower_scatter_nd(table, packed({rows.count, 1}, 4), items, plan);
    if (copies) lower_copy(table, table, plan);
    plan.reduction = reduction;
    plan.value_type = type;
    plan.any_order = any_order;
    canonicalize(plan);
    return queued(plan, rows.table * rows.columns * bytes, rows.count * rows.columns * bytes,
                  4 * rows.count);
}

// Where a thread has a slice to itself there is nothing to locate together.
TEST(Encoding, SlicesThatThreadsShareAreLocatedOnceAGroup) {
    constexpr std::int64_t kLeast = 1 << 18;
    const auto of = [](std::int64_t columns, std::int64_t count, ValueType type,
                       std::int64_t bytes) {
        return queued_rows({5000, columns, count}, type, bytes, false).kernels;
    };
    const auto kernels = [&](std::int64_t columns, ValueType type, std::int64_t bytes) {
        return of(columns, kLeast / 7, type, bytes);
    };
    const Names together{"add_whole_slices"}, alone{"accumulate_whole"};
    EXPECT_EQ(kernels(8, ValueType::kInt32, 4), together);
    EXPECT_EQ(of(7, kLeast, ValueType::kInt32, 4), alone);
    EXPECT_EQ(kernels(8, ValueType::kUint64, 8), together);
    EXPECT_EQ(of(7, kLeast, ValueType::kUint64, 8), alone);
    EXPECT_EQ(kernels(700, ValueType::kInt32, 4), together);  // of several units of each a thread
    EXPECT_EQ(of(8, kLeast / 8, ValueType::kInt32, 4), together);
    EXPECT_EQ(of(8, kLeast / 8 - 1, ValueType::kInt32, 4), alone);
    EXPECT_EQ(kernels(8, ValueType::kFloat32, 4), Names{"accumulate_floats"});
}

TEST(Encoding, FewSumsIntoManyElementsAreAtomicsAfterACopy) {
    constexpr std::int64_t kMost = 1 << 19;
    const auto kernels = [](std::int64_t table, bool copies) {
        return queued_rows({table, 1, 9}, ValueType::kInt32, 4, copies).kernels;
    };
    EXPECT_EQ(kernels(kMost, true), Names{"reduce_blocks_whole"});
    EXPECT_EQ(kernels(kMost + 4, true), (Names{"copy_pieces", "accumulate_whole"}));
    EXPECT_EQ(kernels(kMost, false), Names{"accumulate_whole"});
    // Nothing else is quick where the hardware adds no floats.
    const Recorded floats = queued_rows({kMost + 4, 1, 9}, ValueType::kFloat32, 4, true);
    EXPECT_EQ(floats.kernels, Names{"reduce_blocks_floats"});
}

TEST(Encoding, FewPositionsOfManyTargetsHaveNoBlocks) {
    constexpr std::int64_t kMost = 1 << 20;
    const auto kernels = [](std::int64_t table, std::int64_t bytes, bool copies) {
        const ValueType type = bytes == 1 ? ValueType::kInt8 : ValueType::kInt32;
        return queued_rows({table, 1, 900}, type, bytes, copies, Reduction::kNone).kernels;
    };
    EXPECT_EQ(kernels(kMost, 1, true), Names{"scatter_blocks"});
    EXPECT_NE(kernels(kMost + 16, 1, true), Names{"scatter_blocks"});
    EXPECT_EQ(kernels(kMost, 4, true), Names{"scatter_blocks"});
    EXPECT_EQ(kernels(kMost, 1, false), Names{"scatter_blocks"});
    EXPECT_EQ(kernels(kMost + 16, 1, false), Names{"claim_targets"});
}

TEST(Encoding, FewSumsInOrderIntoManyElementsAreListed) {
    const auto are_listed = [](std::int64_t table, std::int64_t columns, std::int64_t count) {
        const Names kernels = queued_rows({table, columns, count}, ValueType::kFloat32, 4, false,
                                          Reduction::kAdd, false)
                                  .kernels;
        EXPECT_EQ(kernels.at(0) == "sort_keys", kernels.at(1).find("list_") == kernels[1].npos);
        return kernels.at(0) != "sort_keys";
    };
    constexpr std::int64_t kMost = 1 << 22;
    EXPECT_TRUE(are_listed(kMost, 1, 9000));
    EXPECT_FALSE(are_listed(kMost + 1, 1, 9000));
    EXPECT_TRUE(are_listed(32 * 200'000, 1, 200'000));
    EXPECT_FALSE(are_listed(32 * 200'000 + 1, 1, 200'000));
    EXPECT_TRUE(are_listed(8 * 9000, 5, 9000));
    EXPECT_FALSE(are_listed(8 * 9000 + 1, 5, 9000));
}

TEST(Encoding, WideSumsAlongRowsInPlaceAreHeldWithTwoPositionsForEachElement) {
    const auto are_held = [](std::int64_t positions, std::int64_t bytes) {
        constexpr std::int64_t kRows = 9000, kElements = 70;
        const Layout table = packed({kRows, kElements}, bytes);
        const Layout items = packed({kRows, positions}, bytes);
        Plan plan;
        begin_plan(Direction::kScatter, IndexType::kInt32, bytes, plan);
        lower_scatter_elements(table, packed({kRows, positions}, 4), items, 1, plan);
        plan.reduction = Reduction::kAdd;
        plan.value_type = bytes == 8 ? ValueType::kInt64 : ValueType::kInt32;
        canonicalize(plan);
        const std::int64_t count = kRows * positions;
        return queued(plan, kRows * kElements * bytes, count * bytes, 4 * count).kernels ==
               Names{"hold_lines"};
    };
    EXPECT_TRUE(are_held(141, 8));
    EXPECT_FALSE(are_held(140, 8));
    EXPECT_TRUE(are_held(71, 4));
}

// Words of neighbouring columns: a thread of the other kernel may add up more of a column.
TEST(Encoding, SumsAlongShortColumnsGoInPairs) {
    const auto kernels = [](std::int64_t positions, std::int64_t columns) {
        constexpr std::int64_t kElements = 300;
        const Layout table = packed({kElements, columns}, 4);
        const Layout items = packed({positions, columns}, 4);
        Plan plan;
        begin_plan(Direction::kScatter, IndexType::kInt32, 4, plan);
        lower_scatter_elements(table, items, items, 0, plan);
        plan.reduction = Reduction::kAdd;
        plan.value_type = ValueType::kInt32;
        canonicalize(plan);
        const std::int64_t bytes = 4 * positions * columns;
        return queued(plan, 4 * kElements * columns, bytes, bytes).kernels;
    };
    const Names pairs{"accumulate_whole_pairs"}, alone{"accumulate_whole"};
    EXPECT_EQ(kernels(64, 1 << 12), pairs);
    EXPECT_EQ(kernels(64, (1 << 12) - 1), alone);  // few
    EXPECT_EQ(kernels(65, 1 << 12), alone);
}

TEST(Encoding, FewLongSlicesAreSummedInBlocks) {
    const auto has_blocks = [](const Rows& rows, ValueType type, std::int64_t bytes) {
        return queued_rows(rows, type, bytes, true).kernels == Names{"reduce_blocks_whole"};
    };
    EXPECT_TRUE(has_blocks({2, 3 << 16, 12}, ValueType::kInt32, 4));
    EXPECT_FALSE(has_blocks({2, (3 << 16) + 4, 12}, ValueType::kInt32, 4));
    EXPECT_FALSE(has_blocks({2, 3 << 16, 13}, ValueType::kInt32, 4));
    EXPECT_FALSE(has_blocks({2, 3 << 15, 12}, ValueType::kInt64, 8));
}

TEST(Encoding, CopiesSayHowManyPiecesThereAre) {
    const Recorded recorded = queued_rows({10'000, 60, 1}, ValueType::kInt32, 4, true);
    ASSERT_EQ(recorded.kernels.at(0), "copy_pieces");
    EXPECT_EQ(recorded.thirds.at(0), 10'000u * 60 * 4 / 16);
}

}  // namespace
}  // namespace dmlindex

#endif
