// What becomes of vkd3d's SPIR-V where atomics are to add what they exchange.
#if defined(DMLINDEX_HAS_D3D12) && !defined(_WIN32) && !defined(DMLINDEX_D3D12_WSL)

#include "d3d12/host/atomic_adds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dmlindex::d3d12::vkd3d {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kFloat = 7;  // ids of types
constexpr std::uint32_t kUint = 8;

std::uint32_t first(std::uint32_t words, std::uint32_t what) { return words << 16 | what; }

Words exchange(std::uint32_t type) { return {first(7, 229), type, 20, 21, 22, 23, 24}; }

// Two capabilities, the memory model, both types, and what is given.
Words module_with(const std::vector<Words>& instructions) {
    Words module{0x07230203,
                 0x10000,
                 0,
                 99,
                 0,
                 first(2, 17),
                 1,
                 first(2, 17),
                 46,
                 first(3, 14),
                 0,
                 1,
                 first(3, 22),
                 kFloat,
                 32,
                 first(4, 21),
                 kUint,
                 32,
                 0};
    for (const Words& one : instructions) module.insert(module.end(), one.begin(), one.end());
    return module;
}

TEST(AtomicAdds, TakeThePlaceOfExchangesOfFloats) {
    const Words module = module_with({exchange(kUint), exchange(kFloat), exchange(kFloat)});
    const Words changed = with_atomic_adds(module);
    constexpr std::size_t kAdded = 11;  // a capability of two words, an extension of nine
    ASSERT_EQ(changed.size(), module.size() + kAdded);
    // Behind the capabilities that were there.
    EXPECT_EQ(Words(changed.begin(), changed.begin() + 9),
              Words(module.begin(), module.begin() + 9));
    EXPECT_EQ(Words(changed.begin() + 9, changed.begin() + 12),
              (Words{first(2, 17), 6033, first(9, 10)}));
    EXPECT_STREQ(reinterpret_cast<const char*>(&changed[12]), "SPV_EXT_shader_atomic_float_add");
    Words rest(changed.begin() + 9 + kAdded, changed.end());
    const std::size_t exchanges = rest.size() - 21;
    EXPECT_EQ(rest[exchanges], first(7, 229));
    for (const std::size_t at : {exchanges + 7, exchanges + 14}) {
        EXPECT_EQ(rest[at], first(7, 6035));
        rest[at] = first(7, 229);
    }
    EXPECT_EQ(rest, Words(module.begin() + 9, module.end()));
}

// Types that a buffer of int stands on, in vkd3d's order: float behind them.
TEST(AtomicAdds, OfHalvesSeeTheirBufferAsPairs) {
    constexpr std::uint32_t kInt = 9;
    constexpr std::uint32_t kImage = 10;
    constexpr std::uint32_t kPointer = 11;
    constexpr std::uint32_t kBound = 99;
    const Words module{0x07230203,
                       0x10000,
                       0,
                       kBound,
                       0,
                       first(2, 17),
                       1,
                       first(4, 21),
                       kInt,
                       32,
                       1,
                       first(9, 25),
                       kImage,
                       kInt,
                       5,
                       0,
                       0,
                       0,
                       2,
                       24,
                       first(3, 22),
                       kFloat,
                       32,
                       first(4, 32),
                       kPointer,
                       11,
                       kInt,
                       first(7, 229),
                       kInt,
                       20,
                       21,
                       22,
                       23,
                       24};
    const Words changed = with_atomic_adds(module);
    const Words begin{0x07230203, 0x10000,      0, kBound + 4,   0,  first(2, 17),
                      1,          first(2, 17), 9, first(2, 17), 49, first(2, 17),
                      5404,       first(10, 10)};
    constexpr std::size_t kNameWords = 9;
    ASSERT_GE(changed.size(), begin.size() + kNameWords);
    EXPECT_EQ(Words(changed.begin(), changed.begin() + 14), begin);
    EXPECT_STREQ(reinterpret_cast<const char*>(&changed[14]), "SPV_NV_shader_atomic_fp16_vector");
    EXPECT_EQ(Words(changed.begin() + 14 + kNameWords, changed.end()), (Words{first(4, 21),
                                                                              kInt,
                                                                              32,
                                                                              1,
                                                                              first(3, 22),
                                                                              kFloat,
                                                                              32,
                                                                              first(3, 22),
                                                                              kBound,
                                                                              16,
                                                                              first(4, 23),
                                                                              kBound + 1,
                                                                              kBound,
                                                                              2,
                                                                              first(9, 25),
                                                                              kImage,
                                                                              kFloat,
                                                                              5,
                                                                              0,
                                                                              0,
                                                                              0,
                                                                              2,
                                                                              7,
                                                                              first(4, 32),
                                                                              kPointer,
                                                                              11,
                                                                              kBound + 1,
                                                                              first(4, 124),
                                                                              kBound + 1,
                                                                              kBound + 2,
                                                                              24,
                                                                              first(7, 6035),
                                                                              kBound + 1,
                                                                              kBound + 3,
                                                                              21,
                                                                              22,
                                                                              23,
                                                                              kBound + 2,
                                                                              first(4, 124),
                                                                              kInt,
                                                                              20,
                                                                              kBound + 3}));
}

TEST(AtomicAdds, LeaveOtherModulesAlone) {
    EXPECT_TRUE(with_atomic_adds(module_with({})).empty());
    EXPECT_TRUE(with_atomic_adds(module_with({exchange(kUint)})).empty());
    EXPECT_TRUE(with_atomic_adds({}).empty());
    Words other = module_with({exchange(kFloat)});
    other[0] = 0x03022307;
    EXPECT_TRUE(with_atomic_adds(other).empty());
}

TEST(AtomicAdds, ReadNothingBehindTheEnd) {
    const Words module = module_with({exchange(kFloat)});
    for (std::size_t size = 0; size < module.size(); ++size) {
        EXPECT_TRUE(with_atomic_adds(std::span(module).first(size)).empty()) << size;
    }
    EXPECT_TRUE(with_atomic_adds(module_with({exchange(kFloat), {first(0, 1)}})).empty());
    EXPECT_TRUE(with_atomic_adds(module_with({exchange(kFloat), {first(9, 1), 0}})).empty());
}

}  // namespace
}  // namespace dmlindex::d3d12::vkd3d

#endif
