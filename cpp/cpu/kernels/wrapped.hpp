// Indices modulo a limit, over the vector type of vector_kernels.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace dmlindex::cpu {

// What indices are modulo a limit below 2^31: those that fit, up to 2^50 and 2^30 limits either
// way.
template <class Vector, class Index>
class Wrapped {
  public:
    explicit Wrapped(std::int64_t limit) noexcept
        : inverse_(1.0 / static_cast<double>(limit)),
          takes_any_(limit < std::int64_t{1} << 31),
          limit_(Vector::splat(limit)),
          last_(Vector::splat(limit - 1)) {
        // Exact as doubles, and quotients of 32 bits.
        constexpr std::int64_t kMostIndex = std::int64_t{1} << 50;
        constexpr std::int64_t kMostLimits = std::int64_t{1} << 30;
        most_ = Vector::splat(limit < kMostIndex / kMostLimits ? limit * kMostLimits : kMostIndex);
    }

    // False if one is further.
    bool fit(Vector index) const noexcept {
        Vector outside = (most_ - index) | (most_ + index);
        // With the sign it is large, not negative.
        if constexpr (std::is_unsigned_v<Index> && sizeof(Index) >= Vector::kLaneBytes)
            outside = outside | index;
        return takes_any_ && !any_negative(outside);
    }

    Vector operator()(Vector index) const noexcept {
        Vector left = index - multiply_signed(quotient(index), limit_);
        left = left + (negative(left) & limit_);
        return left - (negative(last_ - left) & limit_);
    }

  private:
    // One of the two next to the true one, whichever way the caller has doubles rounded. In the
    // mantissa of a double so large numbers are integers, one apart.
    Vector quotient(Vector index) const noexcept {
        using Doubles [[gnu::vector_size(sizeof(Vector))]] = double;
        constexpr double kLarge = 0x1.8p52;
        const Vector large = Vector::splat(std::bit_cast<std::int64_t>(kLarge));
        const Doubles number = std::bit_cast<Doubles>(index + large) - kLarge;
        return std::bit_cast<Vector>(Doubles(number * inverse_ + kLarge)) - large;
    }

    double inverse_;
    bool takes_any_;
    Vector limit_;
    Vector last_;
    Vector most_;
};

}  // namespace dmlindex::cpu
