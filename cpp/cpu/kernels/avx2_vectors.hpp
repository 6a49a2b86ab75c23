// AVX2's vector of 64-bit lanes, four of them, for the kernels of vector_kernels.hpp. Hardware
// gathers are not used: on Zen they are slower than scalar loads.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <limits>

#include "cpu/kernels/moves.hpp"

namespace dmlindex::cpu {
namespace {

struct Avx2 {
    static constexpr int kLanes = 4;
    static constexpr std::size_t kLaneBytes = 8;
    __m256i lanes;

    static Avx2 splat(std::int64_t value) noexcept { return {_mm256_set1_epi64x(value)}; }
    static Avx2 counting(std::int64_t step) noexcept {
        return {_mm256_set_epi64x(3 * step, 2 * step, step, 0)};
    }

    template <class Index>
    static Avx2 load(const std::byte* from) noexcept {
        if constexpr (sizeof(Index) == 8) {
            return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
        } else if constexpr (sizeof(Index) == 4) {
            const __m128i narrow = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
            return {std::is_signed_v<Index> ? _mm256_cvtepi32_epi64(narrow)
                                            : _mm256_cvtepu32_epi64(narrow)};
        } else if constexpr (sizeof(Index) == 2) {
            const __m128i narrow = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
            return {std::is_signed_v<Index> ? _mm256_cvtepi16_epi64(narrow)
                                            : _mm256_cvtepu16_epi64(narrow)};
        } else {
            int four;
            std::memcpy(&four, from, sizeof four);
            const __m128i narrow = _mm_cvtsi32_si128(four);
            return {std::is_signed_v<Index> ? _mm256_cvtepi8_epi64(narrow)
                                            : _mm256_cvtepu8_epi64(narrow)};
        }
    }

    template <class Index>
    static Avx2 load_strided(const std::byte* from, std::int64_t stride) noexcept {
        Index values[4];
        for (int i = 0; i < 4; ++i) std::memcpy(values + i, from + i * stride, sizeof(Index));
        return {_mm256_set_epi64x(
            static_cast<std::int64_t>(values[3]), static_cast<std::int64_t>(values[2]),
            static_cast<std::int64_t>(values[1]), static_cast<std::int64_t>(values[0]))};
    }

    // Copies 16 indices; whether all of them lie between 0 and last.
    template <class Index>
    static bool copy_inside(Index* to, const std::byte* from, std::int64_t last) noexcept {
        constexpr std::int64_t kStepBytes = kLookUpStep * sizeof(Index);
        constexpr std::int64_t kMost = std::numeric_limits<std::make_signed_t<Index>>::max();
        const __m256i most = sizeof(Index) == 8
                                 ? _mm256_set1_epi64x(last)
                                 : _mm256_set1_epi32(static_cast<int>(std::min(last, kMost)));
        __m256i outside = _mm256_setzero_si256();  // a lane's sign
#pragma GCC unroll 4
        for (std::int64_t at = 0; at < kStepBytes; at += 32) {
            const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
            const __m256i room =
                sizeof(Index) == 8 ? _mm256_sub_epi64(most, some) : _mm256_sub_epi32(most, some);
            outside = _mm256_or_si256(outside, _mm256_or_si256(some, room));
            _mm256_store_si256(reinterpret_cast<__m256i*>(reinterpret_cast<std::byte*>(to) + at),
                               some);
        }
        return (sizeof(Index) == 8 ? _mm256_movemask_pd(_mm256_castsi256_pd(outside))
                                   : _mm256_movemask_ps(_mm256_castsi256_ps(outside))) == 0;
    }

    static constexpr std::int64_t kWideBytes = 32;
    static void copy_wide(std::byte* to, const std::byte* from) noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    }
    static void stream_line(std::byte* to, const std::byte* from) noexcept {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32));
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to), low);
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to + 32), high);
    }
    static void fence() noexcept { _mm_sfence(); }

    template <std::int64_t kBytes>
    void store_narrow(std::byte* to) const noexcept {
        if constexpr (kBytes == 8) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes);
            return;
        }
        // The low halves of the four lanes side by side, then their low bytes.
        const __m256i halves =
            _mm256_permutevar8x32_epi32(lanes, _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0));
        const __m128i four = _mm256_castsi256_si128(halves);
        if constexpr (kBytes == 4) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to), four);
        } else if constexpr (kBytes == 2) {
            const __m128i pick =
                _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
            _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(four, pick));
        } else {
            const __m128i pick =
                _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
            const int bytes = _mm_cvtsi128_si32(_mm_shuffle_epi8(four, pick));
            std::memcpy(to, &bytes, sizeof bytes);
        }
    }

    void store(std::int64_t* to) const noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes);
    }
};

inline Avx2 operator+(Avx2 a, Avx2 b) noexcept { return {_mm256_add_epi64(a.lanes, b.lanes)}; }
inline Avx2 operator-(Avx2 a, Avx2 b) noexcept { return {_mm256_sub_epi64(a.lanes, b.lanes)}; }
inline Avx2 operator&(Avx2 a, Avx2 b) noexcept { return {_mm256_and_si256(a.lanes, b.lanes)}; }
inline Avx2 operator|(Avx2 a, Avx2 b) noexcept { return {_mm256_or_si256(a.lanes, b.lanes)}; }
inline Avx2 equal(Avx2 a, Avx2 b) noexcept { return {_mm256_cmpeq_epi64(a.lanes, b.lanes)}; }
inline Avx2 multiply_low(Avx2 a, Avx2 b) noexcept { return {_mm256_mul_epu32(a.lanes, b.lanes)}; }
inline Avx2 multiply_signed(Avx2 a, Avx2 b) noexcept {
    return {_mm256_mul_epi32(a.lanes, b.lanes)};
}
inline Avx2 negative(Avx2 v) noexcept {
    return {_mm256_cmpgt_epi64(_mm256_setzero_si256(), v.lanes)};
}
inline bool any_negative(Avx2 v) noexcept {
    return _mm256_movemask_pd(_mm256_castsi256_pd(v.lanes)) != 0;
}

// a where mask is negative, else b: blendv looks at a lane's sign alone.
inline Avx2 select_negative(Avx2 mask, Avx2 a, Avx2 b) noexcept {
    return {_mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(b.lanes),
                                                 _mm256_castsi256_pd(a.lanes),
                                                 _mm256_castsi256_pd(mask.lanes)))};
}

inline Avx2 clamp(Avx2 v, Avx2 low, Avx2 high) noexcept {
    const Avx2 from_below = select_negative(v - low, low, v);
    return select_negative(high - from_below, high, from_below);
}

}  // namespace
}  // namespace dmlindex::cpu
