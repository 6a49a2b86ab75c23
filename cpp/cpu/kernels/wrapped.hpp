// Indices modulo a limit, over the vector type of vector_kernels.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace dmlindex::cpu {

// What indices of any size are modulo a limit: as far as doubles tell, which is rather far.
template <class Vector, class Index>
class Wrapped {
  public:
    explicit Wrapped(std::int64_t limit) noexcept
        : inverse_(1.0 / static_cast<double>(limit)), limit_(Vector::splat(limit)) {
        // Exact as doubles, and quotients and limits of 32 bits.
        constexpr std::int64_t kMostLimit = (std::int64_t{1} << 31) - 1;
        constexpr std::int64_t kMostQuotient = std::int64_t{1} << 30;
        constexpr std::int64_t kMostIndex = std::int64_t{1} << 50;
        const std::int64_t most = std::min(kMostIndex, std::min(limit, kMostLimit) * kMostQuotient);
        most_ = Vector::splat(limit <= kMostLimit ? most : -1);
    }

    // False if one is further.
    bool fit(Vector index) const noexcept {
        Vector outside = (most_ - index) | (most_ + index);
        // With the sign it is large, not negative.
        if constexpr (std::is_unsigned_v<Index> && sizeof(Index) >= Vector::kLaneBytes)
            outside = outside | index;
        return !any_negative(outside);
    }

    Vector operator()(Vector index) const noexcept {
        const Vector left = index - multiply_signed(nearest_quotient(index), limit_);
        return left + (negative(left) & limit_);
    }

  private:
    // In the mantissa of a double so large numbers are integers, one apart.
    Vector nearest_quotient(Vector index) const noexcept {
        using Doubles [[gnu::vector_size(sizeof(Vector))]] = double;
        constexpr double kLarge = 0x1.8p52;
        const Vector large = Vector::splat(std::bit_cast<std::int64_t>(kLarge));
        const Doubles number = std::bit_cast<Doubles>(index + large) - kLarge;
        return std::bit_cast<Vector>(Doubles(number * inverse_ + kLarge)) - large;
    }

    double inverse_;
    Vector limit_;
    Vector most_;
};

}  // namespace dmlindex::cpu
