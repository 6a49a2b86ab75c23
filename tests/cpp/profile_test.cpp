// Thresholds of a profile that no kernel's name tells of.
#ifdef DMLINDEX_HAS_D3D12

#include "d3d12/profile.hpp"

#include <gtest/gtest.h>

#include <string>

#include "d3d12/encode/choose.hpp"
#include "d3d12/host/adapter.hpp"
#include "operators/operators.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::int64_t kLines = 8;
constexpr std::int64_t kColumns = 16;

Layout lines_of(std::int64_t element_bytes) {
    Layout layout;
    layout.rank = 2;
    layout.sizes[0] = kLines;
    layout.sizes[1] = kColumns;
    set_packed_strides(layout, element_bytes, "test");
    return layout;
}

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
