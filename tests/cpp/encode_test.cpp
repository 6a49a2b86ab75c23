// What D3D12 devices are asked to do for a plan: kernels and views that nothing backs, of any size.
#ifdef DMLINDEX_HAS_D3D12

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>

#include "dmlindex/error.hpp"
#include "recorded.hpp"

namespace dmlindex {
namespace {

// Elements scattered along the lines of a table.
Plan lines_plan(std::int64_t element_bytes, std::int64_t lines, std::int64_t length,
                std::int64_t count, bool copies) {
    const Layout table = packed({lines, length}, element_bytes);
    Plan plan;
    begin_plan(Direction::kScatter, IndexType::kInt8, element_bytes, plan);
    lower_scatter_elements(table, packed({lines, count}, 1), packed({lines, count}, element_bytes),
                           1, plan);
    if (copies) lower_copy(table, table, plan);
    canonicalize(plan);
    return plan;
}

Recorded queued_lines(std::int64_t element_bytes, std::int64_t lines, std::int64_t length,
                      std::int64_t count, bool copies) {
    return queued(lines_plan(element_bytes, lines, length, count, copies),
                  element_bytes * lines * length, element_bytes * lines * count, lines * count);
}

// Slices scattered into a table, by 16-bit indices.
Recorded queued_slices(std::int64_t slices, std::int64_t slice_bytes, std::int64_t count,
                       bool copies, const d3d12::Profile& profile = d3d12::kDefaultProfile) {
    const Layout table = packed({slices, slice_bytes}, 1);
    Plan plan;
    begin_plan(Direction::kScatter, IndexType::kUint16, 1, plan);
    lower_scatter_nd(table, packed({count, 1}, 2), packed({count, slice_bytes}, 1), plan);
    if (copies) lower_copy(table, table, plan);
    canonicalize(plan);
    return queued(plan, slices * slice_bytes, count * slice_bytes, 2 * count, profile);
}

TEST(Encoding, LinesWithPositionsOfTheirOwnGoByBlocks) {
    for (const bool copies : {false, true}) {
        EXPECT_EQ(queued_lines(1, 1 << 16, 1000, 1000, copies).kernels, Names{"scatter_blocks"});
        EXPECT_EQ(queued_lines(2, 1 << 16, 1000, 1000, copies).kernels, Names{"scatter_blocks"});
    }
}

// Several kernels see narrow updates as one texel each.
TEST(Encoding, NoViewOfUpdatesReachesPastItsTexels) {
    for (const bool copies : {false, true}) {
        for (const std::int64_t bytes : {1, 2}) {
            queued_lines(bytes, 1 << 17, 1000, 1200, copies);
            queued_slices(50000, bytes, (1 << 27) + 4, copies);
        }
    }
}

TEST(Encoding, NoViewOfATableReachesPastItsTexels) {
    d3d12::Profile profile;
    profile.few_table_bytes = std::int64_t{1} << 40;
    for (const std::int64_t mebi : {511, 513, 2047}) {
        for (const bool copies : {false, true}) {
            queued_slices(mebi << 16, 16, 7, copies, profile);
        }
    }
}

// Those would be cleared, and made anew, before what uses them is recorded.
TEST(Encoding, SectionsShareNoWinners) {
    for (const std::int64_t lines : {4, 5}) {
        const Layout table = packed({lines, 14 << 20}, 4);
        Plan plan;
        begin_plan(Direction::kScatter, IndexType::kInt64, 4, plan);
        const Layout indices = packed({lines, 14 << 20}, 8);
        lower_scatter_elements(table, indices, table, 1, plan);
        canonicalize(plan);
        const std::int64_t bytes = lines * (56 << 20);
        EXPECT_EQ(queued(plan, bytes, bytes, 2 * bytes).shared_winners, lines == 4 ? 1 : 0);
    }
}

// Also where there are so many targets that a scatter is done in order.
TEST(Encoding, TheSourceIsCopiedOnce) {
    const auto scattered = [](std::int64_t slices) {
        return queued_slices(slices, 1, 1000, true).kernels;
    };
    EXPECT_EQ(scattered(1 << 27), Names({"claim_targets", "copy_pieces", "scatter_units_1"}));
    EXPECT_EQ(scattered((1 << 27) + 16),
              Names({"copy_pieces", "fill_pieces", "scatter_in_order_1"}));
}

// A call with few and many positions, short and long slices, of any size that may matter.
Recorded queued_any(std::mt19937& random) {
    const auto any_of = [&](std::initializer_list<std::int64_t> all) {
        return all.begin()[random() % all.size()];
    };
    const std::int64_t element = any_of({1, 1, 2, 3, 4, 8, 16});
    const auto type = static_cast<IndexType>(random() % 8);
    const bool gathers = random() % 3 == 0;
    const bool copies = random() % 2 == 0;
    const std::int64_t rows = any_of({1, 2, 7, 64, 3000});
    const std::int64_t columns = any_of({1, 3, 4, 16, 257});
    const std::int64_t count = any_of({1, 3, 40, 64, 1000, 3000});
    Plan plan;
    begin_plan(gathers ? Direction::kGather : Direction::kScatter, type, element, plan);
    const Layout table = packed({rows, columns}, element);
    Layout indices;
    Layout items;
    if (random() % 2 == 0) {
        indices = packed({count, 1}, index_bytes(type));
        items = packed({count, columns}, element);
        if (gathers) {
            lower_gather_nd(table, indices, items, 0, plan);
        } else {
            lower_scatter_nd(table, indices, items, plan);
        }
    } else {
        const int axis = static_cast<int>(random() % 2);
        indices = axis == 0 ? packed({count, columns}, index_bytes(type))
                            : packed({rows, count}, index_bytes(type));
        items = indices;
        set_packed_strides(items, element, "test");
        if (gathers) {
            lower_gather_elements(table, indices, items, axis, plan);
        } else {
            lower_scatter_elements(table, indices, items, axis, plan);
        }
    }
    plan.mode = static_cast<Mode>(any_of({0, 1, 2, gathers ? 1 : 3}));
    plan.unique_indices = random() % 4 == 0;
    if (!gathers && copies) lower_copy(table, table, plan);
    if (!gathers && element == 4 && random() % 2 == 0) {
        plan.reduction = Reduction::kAdd;
        plan.value_type = random() % 2 == 0 ? ValueType::kFloat32 : ValueType::kInt32;
        plan.any_order = random() % 2 == 0;
    }
    canonicalize(plan);
    d3d12::Profile profile;
    if (random() % 2 == 0) {
        profile.few_table_bytes = profile.striped_table_bytes = 1 << 20;
        profile.held_positions = 1;
    }
    return queued(plan, rows * columns * element, element_count(items) * element,
                  element_count(indices) * index_bytes(type), profile, any_of({1 << 12, 1 << 14}));
}

TEST(Encoding, NoViewReachesPastItsTexels) {
    std::mt19937 random(1);
    int refused = 0;
    constexpr int kCalls = 5000;
    for (int call = 0; call < kCalls; ++call) {
        try {
            queued_any(random);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::kDevice);
            ++refused;
        }
        if (HasFailure()) FAIL() << "call " << call;
    }
    EXPECT_LT(refused, kCalls / 2);
}

TEST(Encoding, ManyIndicesThatWrapAreResolvedFirst) {
    const auto first = [](std::int64_t count, std::int64_t stride) {
        Plan plan;
        begin_plan(Direction::kScatter, IndexType::kInt64, 4, plan);
        Layout indices = packed({count, 1}, 8);
        indices.strides[0] = 8 * stride;
        lower_scatter_nd(packed({9000}, 4), indices, packed({count}, 4), plan);
        plan.mode = Mode::kWrap;
        canonicalize(plan);
        return queued(plan, 4 * 9000, 4 * count, 8 * count * stride).kernels.at(0);
    };
    constexpr std::int64_t kLeast = 1 << 18;
    EXPECT_EQ(first(kLeast, 1), "wrap_indices");
    EXPECT_NE(first(kLeast - 1, 1), "wrap_indices");
    EXPECT_NE(first(kLeast, 2), "wrap_indices");  // no offset tells which coordinate's it is
}

}  // namespace
}  // namespace dmlindex

#endif
