// Thresholds of a profile that no kernel's name tells of.
#ifdef DMLINDEX_HAS_D3D12

#include "d3d12/profile.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "d3d12/encode/choose.hpp"
#include "d3d12/encode/position_lines.hpp"
#include "d3d12/host/adapter.hpp"
#include "operators/operators.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::int64_t kLines = 8;
constexpr std::int64_t kColumns = 16;

Layout layout_of(std::int64_t lines, std::int64_t columns, std::int64_t element_bytes) {
    Layout layout;
    layout.rank = 2;
    layout.sizes[0] = lines;
    layout.sizes[1] = columns;
    set_packed_strides(layout, element_bytes, "test");
    return layout;
}

Layout lines_of(std::int64_t element_bytes) { return layout_of(kLines, kColumns, element_bytes); }

bool has_stripes(const Profile& profile) {
    const Layout all = lines_of(4);
    Plan plan;
    begin_plan(Direction::kGather, IndexType::kInt32, 4, plan);
    lower_gather_elements(all, all, all, 0, plan);
    canonicalize(plan);
    constexpr std::uint64_t kBytes = 4 * kLines * kColumns;
    Chunk chunk;
    const Span span{&chunk, 0, kBytes};
    return choose(plan, {span, span, span, {}}, {true, Reach::kTexels, profile}).has_stripes;
}

TEST(Profile, StripesTakeALargeTable) {
    constexpr std::int64_t kBytes = 4 * kLines * kColumns;
    Profile profile;
    profile.striped_line = 4;
    profile.striped_table_bytes = kBytes - 1;
    EXPECT_TRUE(has_stripes(profile));
    profile.striped_table_bytes = kBytes;
    EXPECT_FALSE(has_stripes(profile));
}

TEST(Profile, StripesTakeLongLines) {
    Profile profile;
    profile.striped_table_bytes = 0;
    profile.striped_line = kColumns;
    EXPECT_TRUE(has_stripes(profile));
    profile.striped_line = kColumns + 1;
    EXPECT_FALSE(has_stripes(profile));
}

struct Shape {
    std::int64_t lines, columns;
};

// The lines that a sum along an axis, in any order, is made by, if these are a way.
std::optional<PositionLines> lines_of_sum(int axis, Shape table, Shape updates, ValueType type,
                                          bool copies, const Profile& profile, AtomicAdds adds) {
    const std::int64_t bytes = type == ValueType::kFloat16 ? 2 : 4;
    const Layout elements = layout_of(table.lines, table.columns, bytes);
    Plan plan;
    begin_plan(Direction::kScatter, IndexType::kInt32, bytes, plan);
    lower_scatter_elements(elements, layout_of(updates.lines, updates.columns, 4),
                           layout_of(updates.lines, updates.columns, bytes), axis, plan);
    if (copies) lower_copy(elements, elements, plan);
    plan.reduction = Reduction::kAdd;
    plan.value_type = type;
    plan.any_order = true;
    canonicalize(plan);
    Chunk chunk;
    const auto span = [&](Shape shape, std::int64_t size) {
        return Span{&chunk, 0, static_cast<std::uint64_t>(shape.lines * shape.columns * size)};
    };
    const Tensors tensors{span(table, bytes), span(updates, bytes), span(updates, 4), {}};
    return find_reduced_lines(plan, tensors, Reach{true, Reach::kTexels, profile, false, adds});
}

// The lanes of each column of such a sum, or 0.
std::int64_t lanes_of_columns(std::int64_t elements, std::int64_t columns, std::int64_t positions,
                              ValueType type, const Profile& profile = kDefaultProfile,
                              AtomicAdds adds = {}) {
    const auto lines =
        lines_of_sum(0, {elements, columns}, {positions, columns}, type, false, profile, adds);
    return lines ? std::int64_t{1} << lines->lane_shift : 0;
}

TEST(Profile, LanesShareColumnsOfManyPositions) {
    constexpr ValueType kFloat = ValueType::kFloat32;
    EXPECT_EQ(lanes_of_columns(2, 4104, 1458, ValueType::kFloat16), 8);  // 16 halves side by side
    EXPECT_EQ(lanes_of_columns(2, 4104, 1458, kFloat), 16);
    EXPECT_EQ(lanes_of_columns(5, 33632, 528, kFloat), 4);   // enough threads
    EXPECT_EQ(lanes_of_columns(24, 60000, 144, kFloat), 2);  // three positions for each element
    EXPECT_EQ(lanes_of_columns(24, 60000, 143, kFloat), 1);
    EXPECT_EQ(lanes_of_columns(2, 40000, 32, kFloat), 4);  // eight positions each
    EXPECT_EQ(lanes_of_columns(2, 40000, 31, kFloat), 2);
    EXPECT_EQ(lanes_of_columns(2, 40000, 15, kFloat), 1);
    Profile profile;
    profile.shared_lines = 0;
    EXPECT_EQ(lanes_of_columns(2, 4104, 1458, kFloat, profile), 1);
}

TEST(Profile, ColumnsOfFewFloatsAreAdded) {
    AtomicAdds adds;
    adds.floats = true;
    adds.halves = true;
    const auto lanes = [&](std::int64_t positions, ValueType type) {
        return lanes_of_columns(20, 60000, positions, type, kDefaultProfile, adds);
    };
    EXPECT_EQ(lanes(20, ValueType::kFloat32), 0);
    EXPECT_EQ(lanes(21, ValueType::kFloat32), 1);
    EXPECT_EQ(lanes(20, ValueType::kFloat16), 1);
}

// Whether such a sum along rows of what the hardware can add has lines of its own.
bool rows_have_lines(std::int64_t rows, std::int64_t elements, std::int64_t positions,
                     ValueType type, bool copies) {
    AtomicAdds adds;
    adds.floats = adds.halves = true;
    return lines_of_sum(1, {rows, elements}, {rows, positions}, type, copies, kDefaultProfile, adds)
        .has_value();
}

TEST(Profile, RowsOfFloatsAreAdded) {
    for (const auto type : {ValueType::kFloat16, ValueType::kFloat32}) {
        EXPECT_FALSE(rows_have_lines(100'000, 24, 30, type, true));
        EXPECT_FALSE(rows_have_lines(20'000, 9, 288, type, true));
        EXPECT_TRUE(rows_have_lines(20'000, 9, 289, type, true));
        EXPECT_TRUE(rows_have_lines(9'000, 9, 30, type, true));  // short ones, with the copy
        EXPECT_FALSE(rows_have_lines(9'000, 9, 31, type, true));
        EXPECT_FALSE(rows_have_lines(9'000, 9, 9, type, false));
        const std::int64_t few = type == ValueType::kFloat16 ? 1 << 18 : 1 << 17;
        EXPECT_TRUE(rows_have_lines(few - 1, 9, 8, type, true));
        EXPECT_FALSE(rows_have_lines(few, 9, 8, type, true));
    }
}

TEST(Profile, LinesOfFewElementsAreNotAdded) {
    for (const auto type : {ValueType::kFloat16, ValueType::kFloat32}) {
        EXPECT_TRUE(rows_have_lines(1 << 20, 8, 2, type, true));
        EXPECT_FALSE(rows_have_lines(9'000, 8, 9, type, false));  // in place: of ten positions
        EXPECT_TRUE(rows_have_lines(9'000, 8, 10, type, false));
        EXPECT_FALSE(rows_have_lines(9'000, 9, 10, type, false));
    }
    // Integers that groups would hold.
    const auto held =
        lines_of_sum(1, {9'000, 9}, {9'000, 64}, ValueType::kInt32, true, kDefaultProfile, {});
    const auto summed =
        lines_of_sum(1, {9'000, 8}, {9'000, 64}, ValueType::kInt32, true, kDefaultProfile, {});
    ASSERT_TRUE(held && summed);
    EXPECT_TRUE(held->are_held && !held->are_short);
    EXPECT_TRUE(!summed->are_held && summed->are_short);
}

TEST(Profile, DefaultsAreInRangeAndNothingBeyond) {
    for (const Threshold& one : kThresholds) {
        Profile profile;
        profile.*one.value = one.least;
        EXPECT_TRUE(is_in_range(profile)) << one.name;
        profile.*one.value = one.least - 1;
        EXPECT_FALSE(is_in_range(profile)) << one.name;
        profile.*one.value = one.most + 1;
        EXPECT_FALSE(is_in_range(profile)) << one.name;
    }
}

// Between what Vulkan and what D3D12 promise.
TEST(Profile, AdaptersTellTheirLimits) {
    std::string reason;
    for (const Adapter& adapter : list_adapters(reason)) {
        EXPECT_GE(adapter.group_bytes, 16 << 10) << adapter.description;
        EXPECT_LE(adapter.group_bytes, kGroupBytes) << adapter.description;
        EXPECT_GE(adapter.view_texels, 1 << 16) << adapter.description;
        EXPECT_LE(adapter.view_texels, Reach::kTexels) << adapter.description;
    }
}

}  // namespace
}  // namespace dmlindex::d3d12

#endif
