// The kernels that scatters are made of.
#ifdef DMLINDEX_HAS_D3D12

#include <gtest/gtest.h>

#include "recorded.hpp"

namespace dmlindex {
namespace {

TEST(Encoding, LargeScattersInPlaceFirstLookForAnOrder) {
    const std::int64_t targets = d3d12::kDefaultProfile.range_bytes / 4;
    const std::int64_t least = d3d12::kDefaultProfile.ordered_positions;
    const auto looks_first = [](std::int64_t into, std::int64_t count, bool copies) {
        const Names found = queued_words(into, count, copies).kernels;
        const bool looks = found.at(1 % found.size()) == "find_any_winners";
        EXPECT_EQ(looks, found.at(2 % found.size()) == "skipped:" && found.back() == "end");
        return looks;
    };
    EXPECT_TRUE(looks_first(targets + 1, least, false));
    EXPECT_TRUE(looks_first(targets + 1, 2 * least, false));
    EXPECT_FALSE(looks_first(targets + 1, least - 1, false));
    EXPECT_FALSE(looks_first(targets, 2 * least, false));
    EXPECT_FALSE(looks_first(targets + 1, 2 * least, true));
}

TEST(Encoding, UniqueScattersIntoLargeTablesGoSideBySideAndMayHaveRanges) {
    const std::int64_t targets = d3d12::kDefaultProfile.range_bytes / 4;
    const std::int64_t least = d3d12::kDefaultProfile.ordered_positions;
    const auto queued_unique = [](std::int64_t into, std::int64_t count) {
        Plan plan;
        begin_plan(Direction::kScatter, IndexType::kInt32, 4, plan);
        lower_scatter_nd(packed({into}, 4), packed({count, 1}, 4), packed({count}, 4), plan);
        plan.unique_indices = true;
        canonicalize(plan);
        return queued(plan, 4 * into, 4 * count, 4 * count);
    };
    const Names beside{"find_any_winners"}, by_position{"scatter_singles_4_1"};
    EXPECT_EQ(queued_unique(targets + 1, least).kernels, beside);
    EXPECT_EQ(queued_unique(targets + 1, least - 1).kernels, by_position);
    EXPECT_EQ(queued_unique(targets, 2 * least).kernels, by_position);
    EXPECT_EQ(queued_unique(3 * targets, targets - 1).shared_winners, 0);
    EXPECT_EQ(queued_unique(3 * targets, targets).shared_winners, 1);  // notes of ranges
}

// Of lines along the middle axis: their targets and positions, and the bytes of an element.
struct Lines {
    std::int64_t outer, targets, inner, positions, bytes;
};

// Scattered by 32-bit indices.
Recorded queued_lines(const Lines& lines, bool copies) {
    const std::int64_t bytes = lines.bytes;
    const Layout table = packed({lines.outer, lines.targets, lines.inner}, bytes);
    const Layout items = packed({lines.outer, lines.positions, lines.inner}, bytes);
    const Layout indices = packed({lines.outer, lines.positions, lines.inner}, 4);
    Plan plan;
    begin_plan(Direction::kScatter, IndexType::kInt32, bytes, plan);
    lower_scatter_elements(table, indices, items, 1, plan);
    if (copies) lower_copy(table, table, plan);
    canonicalize(plan);
    const std::int64_t all = lines.outer * lines.inner;
    return queued(plan, bytes * all * lines.targets, bytes * all * lines.positions,
                  4 * all * lines.positions);
}

// Words along the four columns of a table.
Recorded queued_columns(std::int64_t targets, std::int64_t count, bool copies) {
    return queued_lines({1, targets, 4, count, 4}, copies);
}

// Each position's index moves it to another line, so that no order is likely, nor neighbours that
// share a part of the cache.
TEST(Encoding, ColumnsGoByTargetAndInRangesWhereLinesDoNot) {
    const auto by_target = [](const Recorded& recorded) {
        return recorded.kernels.back() == "scatter_winners_4";
    };
    const auto has_ranges = [](const Recorded& recorded) {
        EXPECT_EQ(recorded.kernels.at(0), "find_single_winners_4_1");
        return recorded.thirds.at(0) != 0;
    };
    const Recorded most = queued_columns(24 * 600'000, 600'000, false);
    EXPECT_TRUE(by_target(most) && has_ranges(most));
    EXPECT_FALSE(by_target(queued_columns(24 * 600'000 + 1, 600'000, false)));
    EXPECT_TRUE(has_ranges(queued_columns(32 * 500'000, 500'000, true)));
    EXPECT_FALSE(has_ranges(queued_columns(33 * 500'000, 500'000, false)));
    EXPECT_TRUE(by_target(queued_columns(32 * 500'000, 500'000, true)));
    EXPECT_FALSE(by_target(queued_columns(32 * 500'000 + 1, 500'000, true)));
    EXPECT_TRUE(has_ranges(queued_words(4 * 2'200'000, 2'200'000, true)));
    EXPECT_FALSE(has_ranges(queued_words(4 * 2'200'000 + 1, 2'200'000, true)));
}

// With a copy to make, a kernel that makes it is quicker than a thread a line behind one.
TEST(Encoding, LinesWithACopyHaveAThreadEachOnlyWhereNoKernelMakesBoth) {
    const Names after_copy{"copy_pieces", "scatter_lines"};
    const auto copied = [](const Lines& lines) { return queued_lines(lines, true).kernels; };
    const auto in_place = [](const Lines& lines) {
        return queued_lines(lines, false).kernels == Names{"scatter_lines"};
    };
    EXPECT_EQ(copied({100'000, 32, 1, 4, 4}), Names{"scatter_blocks"});
    EXPECT_EQ(copied({1'000'000, 9, 1, 1, 4}), after_copy);  // few for the targets
    EXPECT_EQ(copied({1 << 18, 8, 1, 4, 1}), Names{"scatter_blocks"});
    EXPECT_EQ(copied({(1 << 18) + 2, 8, 1, 4, 1}), after_copy);
    EXPECT_EQ(copied({1, 8, 1 << 18, 4, 4}), Names{"hold_lines"});
    EXPECT_EQ(copied({1, 8, (1 << 18) + 1, 4, 4}), after_copy);
    EXPECT_EQ(copied({1, 9, 1 << 18, 4, 4}), after_copy);
    EXPECT_TRUE(in_place({100'000, 7, 1, 5, 4}));
    EXPECT_TRUE(in_place({1 << 18, 8, 1, 4, 1}));
    EXPECT_TRUE(in_place({1, 8, 1 << 18, 4, 4}));
}

TEST(Encoding, PositionsOfALineThatAreNeighboursHaveAThreadEach) {
    const Names compared{"compare_lines"}, after_copy{"copy_pieces", "compare_lines"};
    const auto kernels = [](const Lines& lines, bool copies) {
        return queued_lines(lines, copies).kernels;
    };
    EXPECT_EQ(kernels({100'000, 32, 1, 16, 4}, false), compared);
    EXPECT_EQ(kernels({100'000, 32, 1, 32, 4}, false), compared);
    EXPECT_NE(kernels({100'000, 31, 1, 32, 4}, false), compared);  // most find a later one
    EXPECT_NE(kernels({100'000, 33, 1, 33, 4}, false), compared);  // far more to look at
    EXPECT_EQ(kernels({100'000, 66, 1, 33, 4}, false), compared);
    EXPECT_NE(kernels({100'000, 31, 3, 16, 4}, false), compared);  // no rows
    EXPECT_EQ(kernels({100'000, 32, 3, 16, 4}, false), compared);
    EXPECT_EQ(kernels({1000, 256, 1, 128, 4}, false), compared);
    EXPECT_NE(kernels({1000, 258, 1, 129, 4}, false), compared);
    EXPECT_EQ(kernels({10'000, 32, 1, 2, 1}, false), compared);
    EXPECT_NE(kernels({10'000, 31, 1, 2, 1}, false), compared);  // stores of a thread meet
    EXPECT_EQ(kernels({10'000, 32, 7, 2, 1}, false), compared);
    EXPECT_EQ(kernels({10'000, 32, 8, 2, 1}, false), Names{"scatter_lines"});  // columns
    EXPECT_EQ(kernels({1, 32, (1 << 13) - 1, 2, 4}, false), compared);         // are few
    EXPECT_EQ(kernels({1, 32, 1 << 13, 2, 4}, false), Names{"scatter_lines"});
    // With a copy to make, too.
    EXPECT_EQ(kernels({(1 << 17) + 1, 16, 1, 4, 4}, true), after_copy);
    EXPECT_NE(kernels({1 << 17, 16, 1, 4, 4}, true), after_copy);
    EXPECT_NE(kernels({(1 << 17) + 1, 15, 1, 4, 4}, true), after_copy);
    EXPECT_EQ(kernels({10'000, 32, 3, 4, 4}, true), after_copy);  // no blocks of these
}

TEST(Encoding, LongColumnsAreHeldWhereTheyHaveAsManyPositions) {
    for (const bool copies : {false, true}) {
        const auto are_held = [&](std::int64_t targets, std::int64_t count,
                                  std::int64_t positions) {
            const Names found = queued_lines({1, targets, count, positions, 4}, copies).kernels;
            return found == Names{"hold_lines"};
        };
        EXPECT_TRUE(are_held(4096, 300, 4096));
        EXPECT_FALSE(are_held(4096, 300, 4095));
        EXPECT_FALSE(are_held(4097, 300, 5000));
        EXPECT_TRUE(are_held(4096, 64, 4096));
        EXPECT_FALSE(are_held(4096, 63, 4096));  // too few for groups
        EXPECT_TRUE(are_held(2048, 300, 1024));
    }
}

TEST(Encoding, NarrowOnesOfWhichEachHasALineToItselfAreFourToAThread) {
    const auto kernels = [](std::int64_t positions, std::int64_t bytes, bool copies) {
        return queued_lines({1000, 10, 60, positions, bytes}, copies).kernels;
    };
    EXPECT_EQ(kernels(1, 1, true), (Names{"copy_pieces", "scatter_singles_4_1"}));
    EXPECT_EQ(kernels(1, 2, false), Names{"scatter_singles_4_1"});
    EXPECT_EQ(kernels(1, 4, false), Names{"scatter_lines"});
    EXPECT_EQ(kernels(2, 2, false), Names{"scatter_lines"});
}

TEST(Encoding, SomePositionsHaveAThreadEachToClaimTheirTargets) {
    constexpr std::int64_t kClaimed = 1 << 18;
    const auto kernels = [](std::int64_t targets, std::int64_t count, bool copies) {
        return queued_words(targets, count, copies).kernels;
    };
    const Names alone{"claim_targets"}, with_others{"claim_targets", "scatter_winners_4"};
    EXPECT_EQ(kernels(4 * kClaimed, kClaimed, false), alone);
    EXPECT_EQ(kernels(4 * kClaimed, kClaimed + 1, false), with_others);
    EXPECT_EQ(kernels(10 * kClaimed, 2 * kClaimed, false), with_others);
    EXPECT_EQ(kernels(10 * kClaimed + 1, 2 * kClaimed, false), alone);  // few for the targets
    EXPECT_EQ(kernels(10 * kClaimed + 9, 2 * kClaimed + 1, false), with_others);
    EXPECT_EQ(kernels(kClaimed, 2 * kClaimed, false), alone);               // most find a later one
    EXPECT_EQ(kernels(32 * kClaimed - 7, 4 * kClaimed - 1, false), alone);  // by position
    EXPECT_EQ(kernels(32 * kClaimed + 1, 4 * kClaimed, false).at(1), "find_any_winners");
    EXPECT_EQ(kernels(4 * kClaimed, 4 * kClaimed, true), with_others);
    EXPECT_EQ(kernels(4 * kClaimed, 4 * kClaimed + 1, true).at(0), "find_single_winners_4_1");
    const auto looks = [&](std::int64_t count) {
        const Recorded recorded = queued_words(4 * kClaimed, count, true);
        EXPECT_EQ(recorded.kernels, with_others);
        return recorded.thirds.at(0) != 0;
    };
    EXPECT_FALSE(looks(kClaimed));
    EXPECT_TRUE(looks(kClaimed + 1));
}

}  // namespace
}  // namespace dmlindex

#endif
