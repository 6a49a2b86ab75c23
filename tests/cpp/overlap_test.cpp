#include "plan/overlap.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace dmlindex {
namespace {

using std::int64_t;
using Numbers = std::vector<int64_t>;

TEST(SelfOverlap, InterleavedStridesThatNeverMeet) {
    // The usual test on sorted strides refuses this one: offsets 0 2 4 3 5 7.
    EXPECT_EQ(self_overlap(Numbers{2, 3}, Numbers{3, 2}, 1), Overlap::kNone);
    EXPECT_EQ(self_overlap(Numbers{2, 3}, Numbers{12, 8}, 4), Overlap::kNone);
    EXPECT_EQ(self_overlap(Numbers{2, 3}, Numbers{2, 1}, 1), Overlap::kSome);
}

TEST(SelfOverlap, ABroadcastDimMeetsItself) {
    EXPECT_EQ(self_overlap(Numbers{2, 3}, Numbers{0, 4}, 4), Overlap::kSome);
    EXPECT_EQ(self_overlap(Numbers{1, 3}, Numbers{0, 4}, 4), Overlap::kNone);
    EXPECT_EQ(self_overlap(Numbers{2, 0}, Numbers{0, 4}, 4), Overlap::kNone);
}

TEST(SelfOverlap, ElementsThatShareOnlySomeBytes) {
    EXPECT_EQ(self_overlap(Numbers{4}, Numbers{-3}, 4), Overlap::kSome);
    EXPECT_EQ(self_overlap(Numbers{4}, Numbers{-4}, 4), Overlap::kNone);
}

TEST(SelfOverlap, NoDimsAndNoBytes) {
    EXPECT_EQ(self_overlap(Numbers{}, Numbers{}, 8), Overlap::kNone);
    EXPECT_EQ(self_overlap(Numbers{5}, Numbers{0}, 0), Overlap::kNone);
}

TEST(SelfOverlap, TheSearchIsBounded) {
    const Numbers sizes{2000, 2000, 2000, 2000};
    const Numbers strides{1234567891011, 1334567891017, 1434567891019, 1534567891013};
    EXPECT_EQ(self_overlap(sizes, strides, 1), Overlap::kUnknown);
}

TEST(SelfOverlap, StridesNoTensorCanHave) {
    constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
    EXPECT_EQ(self_overlap(Numbers{2, 2}, Numbers{kLeast, 1}, 1), Overlap::kUnknown);
    EXPECT_EQ(self_overlap(Numbers{5, 2}, Numbers{int64_t{1} << 60, int64_t{1} << 61}, 1),
              Overlap::kUnknown);
    // In 64 bits, the reach of the dim in the middle would be 0.
    constexpr int64_t kHalf = int64_t{1} << 32;
    EXPECT_EQ(self_overlap(Numbers{2, kHalf + 1, 2}, Numbers{2 * kHalf, kHalf, 1}, 1),
              Overlap::kUnknown);
}

Overlap by_listing_bytes(const Numbers& sizes, const Numbers& strides, int64_t element_bytes) {
    std::vector<int64_t> offsets{0};
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        std::vector<int64_t> next;
        for (int64_t offset : offsets) {
            for (int64_t i = 0; i < sizes[d]; ++i) next.push_back(offset + i * strides[d]);
        }
        offsets = next;
    }
    std::set<int64_t> bytes;
    for (int64_t offset : offsets) {
        for (int64_t b = 0; b < element_bytes; ++b) {
            if (!bytes.insert(offset + b).second) return Overlap::kSome;
        }
    }
    return Overlap::kNone;
}

TEST(SelfOverlap, AgreesWithAListOfAllBytes) {
    std::mt19937 random(7);
    const auto pick = [&](int64_t least, int64_t most) {
        return std::uniform_int_distribution<int64_t>(least, most)(random);
    };
    for (int round = 0; round < 20000; ++round) {
        const int64_t element_bytes = pick(1, 4);
        const int64_t unit = pick(0, 1) == 0 ? 1 : element_bytes;
        Numbers sizes, strides;
        for (int64_t d = pick(0, 4); d > 0; --d) {
            sizes.push_back(pick(0, 19) == 0 ? 0 : pick(1, 5));
            strides.push_back(pick(-25, 35) * unit);
        }
        ASSERT_EQ(self_overlap(sizes, strides, element_bytes),
                  by_listing_bytes(sizes, strides, element_bytes))
            << testing::PrintToString(sizes) << " " << testing::PrintToString(strides) << " "
            << element_bytes;
    }
}

}  // namespace
}  // namespace dmlindex
