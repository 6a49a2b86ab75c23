// What a reduction does to one element: the arithmetic that NumPy has for the dtype. Integers wrap;
// types narrower than float32 round every step to nearest even.
//
// All of it is in an anonymous namespace, as several files compile it for several ISAs: what is
// compiled for one of them must not be linked in elsewhere.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "cpu/kernels/numbers.hpp"
#include "plan/plan.hpp"

namespace dmlindex::cpu {
namespace {

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16>;

template <class T>
constexpr bool kIsComplex = false;
template <class T>
constexpr bool kIsComplex<std::complex<T>> = true;

// A NaN with its quiet bit set: adding to one does that and keeps the rest.
template <class T>
T quiet(T nan) noexcept {
    return nan + T{1};
}

// Of two NaNs the left one stays, whichever way the compiler turns the operands; a NaN that a step
// makes itself is x86's and NumPy's there, sign set, on every machine.
template <class T>
[[gnu::noinline, gnu::cold]] T nan_of(T left, T right) noexcept {
    if (left != left) return quiet(left);
    if (right != right) return quiet(right);
    return -std::numeric_limits<T>::quiet_NaN();
}

template <class T>
T or_nan_of(T left, T right, T result) noexcept {
    if (result != result) [[unlikely]]
        return nan_of(left, right);
    return result;
}

template <class T>
T add_step(T left, T right) noexcept {
    return or_nan_of(left, right, left + right);
}

template <class T>
T subtract_step(T left, T right) noexcept {
    return or_nan_of(left, right, left - right);
}

template <class T>
T multiply_step(T left, T right) noexcept {
    return or_nan_of(left, right, left * right);
}

// x86's instructions give the very NaN wanted if the operands keep their places: GCC may swap those
// of + and *, but not those of its functions for the instructions.
#if defined(__SSE2__) && !defined(__clang__)
float add_step(float left, float right) noexcept {
    return _mm_cvtss_f32(_mm_add_ss(_mm_set_ss(left), _mm_set_ss(right)));
}
float multiply_step(float left, float right) noexcept {
    return _mm_cvtss_f32(_mm_mul_ss(_mm_set_ss(left), _mm_set_ss(right)));
}
double add_step(double left, double right) noexcept {
    return _mm_cvtsd_f64(_mm_add_sd(_mm_set_sd(left), _mm_set_sd(right)));
}
double multiply_step(double left, double right) noexcept {
    return _mm_cvtsd_f64(_mm_mul_sd(_mm_set_sd(left), _mm_set_sd(right)));
}
#endif

// The less or the greater of two numbers; the old one where they are equal, as +0 and -0 are.
template <Reduction kReduction, class T>
T pick(T old, T update) noexcept {
    return (kReduction == Reduction::kMin ? update < old : update > old) ? update : old;
}

#ifdef __SSE2__
// A number as an instruction for vectors takes it; the rest of the vector means nothing. GCC's own
// way clears that with an instruction more. clang, which needs none, ends by such an asm.
#ifdef __clang__
__m128 in_vector(float number) noexcept { return _mm_set_ss(number); }
__m128d in_vector(double number) noexcept { return _mm_set_sd(number); }
#else
__m128 in_vector(float number) noexcept {
    __m128 vector;
    asm("" : "=x"(vector) : "0"(number));
    return vector;
}
__m128d in_vector(double number) noexcept {
    __m128d vector;
    asm("" : "=x"(vector) : "0"(number));
    return vector;
}
#endif

// The same by the one instruction that does just that, which GCC does not take by itself.
template <Reduction kReduction>
float pick(float old, float update) noexcept {
    const __m128 left = in_vector(update);
    const __m128 right = in_vector(old);
    return _mm_cvtss_f32(kReduction == Reduction::kMin ? _mm_min_ss(left, right)
                                                       : _mm_max_ss(left, right));
}
template <Reduction kReduction>
double pick(double old, double update) noexcept {
    const __m128d left = in_vector(update);
    const __m128d right = in_vector(old);
    return _mm_cvtsd_f64(kReduction == Reduction::kMin ? _mm_min_sd(left, right)
                                                       : _mm_max_sd(left, right));
}
#endif

template <Reduction kReduction, class T>
T combine_float(T old, T update) noexcept {
    if constexpr (kReduction == Reduction::kAdd) {
        return add_step(old, update);
    } else if constexpr (kReduction == Reduction::kMul) {
        return multiply_step(old, update);
    } else {
        if (__builtin_isunordered(old, update)) [[unlikely]]
            return nan_of(old, update);
        return pick<kReduction>(old, update);
    }
}

// Numbers of float16 stay in vectors from one conversion to the other; else GCC clears
// what lies behind each number. They come from memory and go there without a register between, in
// 0.8 of the time.
#if defined(__F16C__) && !defined(__clang__)
#define DMLINDEX_FLOAT16_IN_VECTORS 1
[[maybe_unused]] __m128i in_vector(Float16 half) noexcept {
    return _mm_insert_epi16(_mm_setzero_si128(), half.bits, 0);
}

// Single ones, or eight with AVX-512's arithmetic for them, which is the same bit for bit.
template <Reduction kReduction>
__m128i combine_float16(__m128i old, __m128i update) noexcept {
#ifdef __AVX512FP16__
    __m128i result;
    if constexpr (kReduction == Reduction::kAdd) {
        asm("vaddph %2, %1, %0" : "=v"(result) : "v"(old), "v"(update));
    } else {
        asm("vmulph %2, %1, %0" : "=v"(result) : "v"(old), "v"(update));
    }
    return result;
#else
    const __m128 left = _mm_cvtph_ps(old);
    const __m128 right = _mm_cvtph_ps(update);
    const __m128 result =
        kReduction == Reduction::kAdd ? _mm_add_ss(left, right) : _mm_mul_ss(left, right);
    return _mm_cvtps_ph(result, _MM_FROUND_TO_NEAREST_INT);
#endif
}

[[maybe_unused]] Float16 out_of_vector(__m128i half) noexcept {
    return {static_cast<std::uint16_t>(_mm_extract_epi16(half, 0))};
}

template <Reduction kReduction>
    requires(kReduction == Reduction::kAdd || kReduction == Reduction::kMul)
Float16 combine(Float16 old, Float16 update) noexcept {
    return out_of_vector(combine_float16<kReduction>(in_vector(old), in_vector(update)));
}
template <Reduction kReduction>
    requires(kReduction == Reduction::kMin || kReduction == Reduction::kMax)
Float16 combine(Float16 old, Float16 update) noexcept {
    const __m128 left = _mm_cvtph_ps(in_vector(update));
    const __m128 right = _mm_cvtph_ps(in_vector(old));
    if (__builtin_isunordered(_mm_cvtss_f32(left), _mm_cvtss_f32(right))) [[unlikely]] {
        Float16 nan;
        narrow(nan_of(_mm_cvtss_f32(right), _mm_cvtss_f32(left)), nan);
        return nan;
    }
    return out_of_vector(_mm_cvtps_ph(
        kReduction == Reduction::kMin ? _mm_min_ss(left, right) : _mm_max_ss(left, right),
        _MM_FROUND_TO_NEAREST_INT));
}
#endif

template <Reduction kReduction, class T>
T combine(T old, T update) noexcept {
    if constexpr (std::is_same_v<T, Bool>) {
        const bool a = old.value != 0;
        const bool b = update.value != 0;
        constexpr bool kIsOr = kReduction == Reduction::kAdd || kReduction == Reduction::kMax;
        return Bool{static_cast<std::uint8_t>(kIsOr ? a || b : a && b)};
    } else if constexpr (kIsHalf<T>) {
        T result;
        narrow(combine_float<kReduction>(widen(old), widen(update)), result);
        return result;
    } else if constexpr (kIsComplex<T>) {
        if constexpr (kReduction == Reduction::kAdd) {
            return {combine_float<kReduction>(old.real(), update.real()),
                    combine_float<kReduction>(old.imag(), update.imag())};
        } else {  // std::complex's own product repairs infinities, NumPy's does not
            return {subtract_step(multiply_step(old.real(), update.real()),
                                  multiply_step(old.imag(), update.imag())),
                    add_step(multiply_step(old.real(), update.imag()),
                             multiply_step(old.imag(), update.real()))};
        }
    } else if constexpr (std::is_floating_point_v<T>) {
        return combine_float<kReduction>(old, update);
    } else if constexpr (kReduction == Reduction::kMin || kReduction == Reduction::kMax) {
        return pick<kReduction>(old, update);
    } else {  // unsigned, so that it wraps; 64 bits, so that uint16 is not promoted to int
        const auto a = static_cast<std::uint64_t>(old);
        const auto b = static_cast<std::uint64_t>(update);
        return static_cast<T>(kReduction == Reduction::kAdd ? a + b : a * b);
    }
}

}  // namespace
}  // namespace dmlindex::cpu
