// Vectors of elements, and what a reduction does to them: lane by lane what combine does.
//
// In an anonymous namespace, as arithmetic.hpp is.
#pragma once

#include <complex>
#include <cstring>
#include <type_traits>

#include "cpu/kernels/arithmetic.hpp"
#include "cpu/kernels/moves.hpp"

namespace dmlindex::cpu {
namespace {

// Integers that wrap, and the floats of plain vectors.
template <class T>
constexpr bool kIsPlain =
    std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;

// Those that Lanes has.
template <class T>
constexpr bool kHasVectors = kIsPlain<T>;
#ifdef DMLINDEX_FLOAT16_IN_VECTORS
template <>
constexpr bool kHasVectors<Float16> = true;
#endif
#ifdef __AVX2__
template <>
constexpr bool kHasVectors<std::complex<float>> = true;
template <>
constexpr bool kHasVectors<std::complex<double>> = true;
#endif

// What the ISA has: GCC takes wider ones apart, and their comparisons element by element.
#ifdef __AVX2__
inline constexpr std::int64_t kWidestBytes = 32;
#else
inline constexpr std::int64_t kWidestBytes = 16;
#endif

template <Reduction kReduction>
constexpr bool kIsOrdered = kReduction == Reduction::kMin || kReduction == Reduction::kMax;

// Signed numbers need their order for kMin and kMax; sums and products wrap as unsigned ones.
template <Reduction kReduction, class T>
struct LaneIn : std::conditional_t<std::is_integral_v<T> && !kIsOrdered<kReduction>,
                                   std::make_unsigned<T>, std::type_identity<T>> {};
// A complex sum is its parts'.
template <class Part>
struct LaneIn<Reduction::kAdd, std::complex<Part>> : std::type_identity<Part> {};
template <Reduction kReduction, class T>
using LaneOf = typename LaneIn<kReduction, T>::type;

// Whether the ISA has arithmetic for float16.
template <Reduction kReduction>
#ifdef __AVX512FP16__
constexpr bool kTakesFloat16 = !kIsOrdered<kReduction>;
#else
constexpr bool kTakesFloat16 = false;
#endif

// Halves take twice as much between load and store.
template <class T>
constexpr std::int64_t kWidestOf = std::is_same_v<T, Float16> ? 16 : kWidestBytes;

// So many bytes of elements: Packed as they are in memory, and a Vector of numbers that the ISA has
// arithmetic for, between widen and narrow.
template <Reduction kReduction, class T, std::int64_t kBytes>
struct Lanes {
    using Lane = LaneOf<kReduction, T>;
    using Vector [[gnu::vector_size(kBytes)]] = Lane;
    using Packed = Vector;

    static Packed load(const std::byte* from) noexcept { return element_at<Packed>(from); }
    static Vector widen(const Packed& packed) noexcept { return packed; }
    static Packed narrow(const Vector& vector) noexcept { return vector; }
};

#ifdef __AVX2__
// The first bytes of 16, zeros behind.
template <class Bits>
[[gnu::always_inline]] inline __m128i load_low(const std::byte* from) noexcept {
    return _mm_set_epi64x(0, static_cast<std::int64_t>(element_at<Bits>(from)));
}

template <Reduction kReduction, class Part, std::int64_t kBytes>
struct Lanes<kReduction, std::complex<Part>, kBytes> : Lanes<kReduction, Part, kBytes> {};

// Half a vector.
template <Reduction kReduction>
struct Lanes<kReduction, std::complex<float>, 8> : Lanes<kReduction, float, 16> {
    static __m128 load(const std::byte* from) noexcept {
        return _mm_castsi128_ps(load_low<std::uint64_t>(from));
    }
};
#endif

#ifdef DMLINDEX_FLOAT16_IN_VECTORS
template <std::int64_t kBytes>
struct PackedFloat16 {
    using Packed = __m128i;

    static Packed load(const std::byte* from) noexcept {
        if constexpr (kBytes == 16) {
            return element_at<__m128i>(from);
        } else {
            using Bits = std::conditional_t<kBytes == 8, std::uint64_t, std::uint32_t>;
            static_assert(sizeof(Bits) == kBytes);
            return load_low<Bits>(from);
        }
    }
};

template <Reduction kReduction, std::int64_t kBytes>
    requires(kBytes <= 16 && !kTakesFloat16<kReduction>)
struct Lanes<kReduction, Float16, kBytes> : PackedFloat16<kBytes> {
    using Lane = float;
    using Vector = typename Lanes<kReduction, float, kBytes == 16 ? 32 : 16>::Vector;

    static Vector widen(const __m128i& packed) noexcept {
        if constexpr (kBytes == 16) {
            return _mm256_cvtph_ps(packed);
        } else {
            return _mm_cvtph_ps(packed);
        }
    }
    static __m128i narrow(const Vector& vector) noexcept {
        if constexpr (kBytes == 16) {
            return _mm256_cvtps_ph(vector, _MM_FROUND_TO_NEAREST_INT);
        } else {
            return _mm_cvtps_ph(vector, _MM_FROUND_TO_NEAREST_INT);
        }
    }
};

template <Reduction kReduction, std::int64_t kBytes>
    requires(kBytes <= 16 && kTakesFloat16<kReduction>)
struct Lanes<kReduction, Float16, kBytes> : PackedFloat16<kBytes> {
    using Lane = Float16;
    using Vector = __m128i;

    static Vector widen(const __m128i& packed) noexcept { return packed; }
    static __m128i narrow(const Vector& vector) noexcept { return vector; }
};
#endif

// Whether a NaN may come out as another one than combine's. clang's asm takes no vectors of 8
// bytes.
#if defined(__AVX2__) && !defined(__clang__)
template <Reduction kReduction, class Lane>
constexpr bool kLooksForNans = std::is_floating_point_v<Lane> && kIsOrdered<kReduction>;
#else
template <Reduction kReduction, class Lane>
constexpr bool kLooksForNans = std::is_floating_point_v<Lane>;
#endif

// Lane by lane, where no NaN is that has to be looked for.
template <Reduction kReduction, class Vector>
[[gnu::always_inline]] inline Vector combine_vectors(const Vector& old,
                                                     const Vector& update) noexcept {
    if constexpr (kReduction == Reduction::kMin) {
        return update < old ? update : old;
    } else if constexpr (kReduction == Reduction::kMax) {
        return update > old ? update : old;
    } else {
        constexpr bool kIsSum = kReduction == Reduction::kAdd;
#if defined(__AVX2__) && !defined(__clang__)
        // The compiler may swap the operands of + and *, but not those of an asm.
        using Lane = std::remove_cvref_t<decltype(old[0])>;
        Vector result;
        if constexpr (std::is_same_v<Lane, float> && kIsSum) {
            asm("vaddps %2, %1, %0" : "=x"(result) : "x"(old), "x"(update));
            return result;
        } else if constexpr (std::is_same_v<Lane, float>) {
            asm("vmulps %2, %1, %0" : "=x"(result) : "x"(old), "x"(update));
            return result;
        } else if constexpr (std::is_same_v<Lane, double> && kIsSum) {
            asm("vaddpd %2, %1, %0" : "=x"(result) : "x"(old), "x"(update));
            return result;
        } else if constexpr (std::is_same_v<Lane, double>) {
            asm("vmulpd %2, %1, %0" : "=x"(result) : "x"(old), "x"(update));
            return result;
        }
#endif
        return kIsSum ? old + update : old * update;
    }
}

// Whether any bit is set.
template <class Vector>
[[gnu::always_inline]] inline bool has_any(const Vector& vector) noexcept {
    std::uint64_t words[sizeof(Vector) / sizeof(std::uint64_t)];
    std::memcpy(words, &vector, sizeof words);
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    return any != 0;
}

#ifdef __AVX2__
// Of each pair the real or the imaginary part, twice; and both the other way around.
[[maybe_unused]] __m128 reals(__m128 pairs) noexcept { return _mm_moveldup_ps(pairs); }
[[maybe_unused]] __m256 reals(__m256 pairs) noexcept { return _mm256_moveldup_ps(pairs); }
[[maybe_unused]] __m128d reals(__m128d pairs) noexcept { return _mm_movedup_pd(pairs); }
[[maybe_unused]] __m256d reals(__m256d pairs) noexcept { return _mm256_movedup_pd(pairs); }
[[maybe_unused]] __m128 imaginaries(__m128 pairs) noexcept { return _mm_movehdup_ps(pairs); }
[[maybe_unused]] __m256 imaginaries(__m256 pairs) noexcept { return _mm256_movehdup_ps(pairs); }
[[maybe_unused]] __m128d imaginaries(__m128d pairs) noexcept { return _mm_permute_pd(pairs, 3); }
[[maybe_unused]] __m256d imaginaries(__m256d pairs) noexcept {
    return _mm256_permute_pd(pairs, 15);
}
[[maybe_unused]] __m128 turned(__m128 pairs) noexcept { return _mm_permute_ps(pairs, 0xb1); }
[[maybe_unused]] __m256 turned(__m256 pairs) noexcept { return _mm256_permute_ps(pairs, 0xb1); }
[[maybe_unused]] __m128d turned(__m128d pairs) noexcept { return _mm_permute_pd(pairs, 1); }
[[maybe_unused]] __m256d turned(__m256d pairs) noexcept { return _mm256_permute_pd(pairs, 5); }
[[maybe_unused]] __m128 add_sub(__m128 a, __m128 b) noexcept { return _mm_addsub_ps(a, b); }
[[maybe_unused]] __m256 add_sub(__m256 a, __m256 b) noexcept { return _mm256_addsub_ps(a, b); }
[[maybe_unused]] __m128d add_sub(__m128d a, __m128d b) noexcept { return _mm_addsub_pd(a, b); }
[[maybe_unused]] __m256d add_sub(__m256d a, __m256d b) noexcept { return _mm256_addsub_pd(a, b); }
#endif

// The same of elements, of which a complex one has two lanes.
template <Reduction kReduction, class T, class Vector>
[[gnu::always_inline]] inline Vector combine_lanes(const Vector& old,
                                                   const Vector& update) noexcept {
#ifdef DMLINDEX_FLOAT16_IN_VECTORS
    if constexpr (std::is_same_v<T, Float16> && kTakesFloat16<kReduction>)
        return combine_float16<kReduction>(old, update);
#endif
#ifdef __AVX2__
    if constexpr (kIsComplex<T> && kReduction == Reduction::kMul) {
        const Vector left = combine_vectors<kReduction>(reals(old), update);
        const Vector right = combine_vectors<kReduction>(imaginaries(old), turned(update));
        return add_sub(left, right);
    }
#endif
    return combine_vectors<kReduction>(old, update);
}

}  // namespace
}  // namespace dmlindex::cpu
