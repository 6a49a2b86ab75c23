// Indices at the extremes of their types, along axes at the borders: every mode, against arithmetic
// in 128 bits. With all kernels, as DMLINDEX_CPU or the machine chooses them.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "cpu/kernels/kernels.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

constexpr std::int64_t kLimits[] = {1,
                                    2,
                                    5,
                                    127,
                                    128,
                                    129,
                                    255,
                                    256,
                                    257,
                                    32767,
                                    32768,
                                    65535,
                                    65536,
                                    65537,
                                    1 << 30,
                                    (std::int64_t{1} << 31) - 1,
                                    std::int64_t{1} << 31,
                                    (std::int64_t{1} << 31) + 1,
                                    (std::int64_t{1} << 32) - 1,
                                    std::int64_t{1} << 32,
                                    (std::int64_t{1} << 32) + 1,
                                    std::int64_t{1} << 60};

// The values around 0, the limit and the ends of the type, as far as the type holds them.
std::vector<std::uint64_t> extremes(IndexType type, std::int64_t limit) {
    const std::int64_t bits = 8 * index_bytes(type);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits);
    const auto size = static_cast<std::uint64_t>(limit);
    const std::uint64_t half = all / 2;  // the largest signed value
    std::vector<std::uint64_t> values;
    for (const std::uint64_t value : {std::uint64_t{0}, size, 2 * size, 0 - size, half, all}) {
        for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
            const std::uint64_t raw = (value + step) & all;
            const bool negative = is_signed(type) && raw > half;
            values.push_back(negative ? raw | ~all : raw);
        }
    }
    return values;
}

void check(IndexType type, Mode mode, std::int64_t limit, std::uint64_t bits) {
    SCOPED_TRACE("index type " + std::to_string(static_cast<int>(type)) + ", mode " +
                 std::to_string(static_cast<int>(mode)) + ", limit " + std::to_string(limit) +
                 ", index bits " + std::to_string(bits));
    // Enough of them that a vector kernel takes whole vectors; all the same index.
    constexpr std::int64_t kCount = 37;
    const std::int64_t bytes = index_bytes(type);
    std::vector<std::byte> indices(static_cast<std::size_t>(kCount * bytes));
    for (std::int64_t i = 0; i < kCount; ++i) {
        std::memcpy(indices.data() + i * bytes, &bits, static_cast<std::size_t>(bytes));
    }
    const Coordinate coordinate{limit, 2, 0, 0};
    std::int64_t offsets[kCount];
    const bool good = cpu::kernels().resolve[static_cast<int>(type)][static_cast<int>(mode)](
        {indices.data(), bytes, kCount, 100, 0, &coordinate, 1}, offsets);

    const auto place = place_of(bits, type, mode, limit);
    ASSERT_EQ(good, place.has_value() || mode == Mode::kSkip);
    if (!good) return;
    const std::int64_t expected = place ? 100 + 2 * *place : cpu::kSkipped;
    for (const std::int64_t offset : offsets) ASSERT_EQ(offset, expected);
}

TEST(Resolve, ExtremesOfEveryIndexType) {
    for (const IndexType type : kAllIndexTypes) {
        for (const Mode mode : kAllModes) {
            for (const std::int64_t limit : kLimits) {
                for (const std::uint64_t bits : extremes(type, limit)) {
                    check(type, mode, limit, bits);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

}  // namespace
}  // namespace dmlindex::test
