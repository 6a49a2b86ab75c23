// Divisions and multiples, rounded up; of numbers that are not negative.
#pragma once

#include <concepts>
#include <type_traits>

namespace dmlindex::d3d12 {

// Bytes of a piece, as kernels move them and views end: a tensor may use the rest of its last one.
inline constexpr int kPieceBytes = 16;

template <std::integral Number>
constexpr Number quotient_up(Number a, std::type_identity_t<Number> b) noexcept {
    return (a + b - 1) / b;
}

template <std::integral Number>
constexpr Number round_up(Number value, std::type_identity_t<Number> step) noexcept {
    return quotient_up(value, step) * step;
}

}  // namespace dmlindex::d3d12
