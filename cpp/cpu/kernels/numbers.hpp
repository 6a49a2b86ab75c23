// The numbers that the language has no type for, and what they are as those it has.
//
// In an anonymous namespace, as arithmetic.hpp is.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace dmlindex::cpu {
namespace {

struct Bool {
    std::uint8_t value;
};
struct Float16 {
    std::uint16_t bits;
};
struct Bfloat16 {
    std::uint16_t bits;
};

// As a number that the language compares.
template <class T>
    requires std::is_arithmetic_v<T>
T widen(T number) noexcept {
    return number;
}

[[maybe_unused]] float widen(Bfloat16 half) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(half.bits) << 16);
}

[[maybe_unused]] void narrow(float value, Bfloat16& half) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (value != value) {  // rounding could carry a NaN's payload away
        half.bits = static_cast<std::uint16_t>((bits >> 16) | 0x40);
        return;
    }
    half.bits = static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

#ifdef __F16C__

[[maybe_unused]] float widen(Float16 half) noexcept { return _cvtsh_ss(half.bits); }

[[maybe_unused]] void narrow(float value, Float16& half) noexcept {
    half.bits = _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}

#elif defined(__aarch64__)

[[maybe_unused]] float widen(Float16 half) noexcept {
    return static_cast<float>(std::bit_cast<__fp16>(half.bits));
}

[[maybe_unused]] void narrow(float value, Float16& half) noexcept {
    half.bits = std::bit_cast<std::uint16_t>(static_cast<__fp16>(value));
}

#else

[[maybe_unused]] float widen(Float16 half) noexcept {
    const std::uint32_t sign = (half.bits & 0x8000u) << 16;
    const std::uint32_t exponent = (half.bits >> 10) & 0x1f;
    const std::uint32_t mantissa = half.bits & 0x3ff;
    if (exponent == 0) {  // a multiple of 2^-24, exact in float32
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
    }
    const std::uint32_t wide_exponent = exponent == 0x1f ? 0xff : exponent + (127 - 15);
    return std::bit_cast<float>(sign | (wide_exponent << 23) | (mantissa << 13));
}

[[maybe_unused]] void narrow(float value, Float16& half) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
    const std::uint32_t magnitude = bits & 0x7fffffff;
    std::uint32_t result;
    if (magnitude > 0x7f800000) {
        result = 0x7e00 | ((magnitude >> 13) & 0x3ff);
    } else if (magnitude >= 0x477ff000) {  // rounds past 65504, or infinite
        result = 0x7c00;
    } else if (magnitude >= 0x38800000) {  // a normal number
        result = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
    } else {
        // Adding 1/2 leaves the multiple of 2^-24 in the last bits, rounded to nearest even by the
        // FPU.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        result = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000;
    }
    half.bits = static_cast<std::uint16_t>(sign | result);
}

#endif

}  // namespace
}  // namespace dmlindex::cpu
