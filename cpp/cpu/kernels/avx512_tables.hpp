// Tables that AVX-512 looks elements up in, by 16 places in 32-bit lanes at a time.
#pragma once

// GCC's own header trips over this warning (GCC bug 105593), at the end of the file too.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "cpu/kernels/vector_kernels.hpp"

namespace dmlindex::cpu {

// Whether look-ups by hardware gathers are quicker than the table's, which the first call has to
// give as AVX2 left it.
bool gathers_are_fast(const Kernels& kernels) noexcept;

namespace {

constexpr std::int64_t kRegisterBytes = 64;

// 16 lanes of 32 bits. Indices of 64 bits are saturated: with a limit below 2^30 what is out of
// range stays so, even after a negative one counts from the end.
struct Avx512Words {
    static constexpr int kLanes = kLookUpStep;
    static constexpr std::size_t kLaneBytes = 4;
    static constexpr std::int64_t kMostLimit = std::int64_t{1} << 30;
    __m512i lanes;

    static Avx512Words splat(std::int64_t value) noexcept {
        return {_mm512_set1_epi32(static_cast<int>(value))};
    }

    template <class Index>
    static Avx512Words load(const std::byte* from) noexcept {
        if constexpr (sizeof(Index) == 8) {
            const __m512i first = _mm512_loadu_si512(from);
            const __m512i second = _mm512_loadu_si512(from + kRegisterBytes);
            const auto narrow = [](__m512i wide) {
                return std::is_signed_v<Index> ? _mm512_cvtsepi64_epi32(wide)
                                               : _mm512_cvtusepi64_epi32(wide);
            };
            return {_mm512_inserti64x4(_mm512_castsi256_si512(narrow(first)), narrow(second), 1)};
        } else if constexpr (sizeof(Index) == 4) {
            return {_mm512_loadu_si512(from)};
        } else if constexpr (sizeof(Index) == 2) {
            const __m256i narrow = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
            return {std::is_signed_v<Index> ? _mm512_cvtepi16_epi32(narrow)
                                            : _mm512_cvtepu16_epi32(narrow)};
        } else {
            const __m128i narrow = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
            return {std::is_signed_v<Index> ? _mm512_cvtepi8_epi32(narrow)
                                            : _mm512_cvtepu8_epi32(narrow)};
        }
    }
};

inline Avx512Words operator+(Avx512Words a, Avx512Words b) noexcept {
    return {_mm512_add_epi32(a.lanes, b.lanes)};
}
inline Avx512Words operator-(Avx512Words a, Avx512Words b) noexcept {
    return {_mm512_sub_epi32(a.lanes, b.lanes)};
}
inline Avx512Words operator&(Avx512Words a, Avx512Words b) noexcept {
    return {_mm512_and_si512(a.lanes, b.lanes)};
}
inline Avx512Words operator|(Avx512Words a, Avx512Words b) noexcept {
    return {_mm512_or_si512(a.lanes, b.lanes)};
}
inline Avx512Words negative(Avx512Words v) noexcept { return {_mm512_srai_epi32(v.lanes, 31)}; }
inline bool any_negative(Avx512Words v) noexcept { return _mm512_movepi32_mask(v.lanes) != 0; }
inline Avx512Words select_negative(Avx512Words mask, Avx512Words a, Avx512Words b) noexcept {
    return {_mm512_mask_blend_epi32(_mm512_movepi32_mask(mask.lanes), b.lanes, a.lanes)};
}
inline Avx512Words clamp(Avx512Words v, Avx512Words low, Avx512Words high) noexcept {
    return {_mm512_min_epi32(_mm512_max_epi32(v.lanes, low.lanes), high.lanes)};
}

// A table's bytes from register·64 on; zeros behind its end, where nothing is read.
inline __m512i load_part(const std::byte* table, std::int64_t table_bytes, int part) noexcept {
    const std::int64_t count =
        std::clamp<std::int64_t>(table_bytes - part * kRegisterBytes, 0, kRegisterBytes);
    const __mmask64 inside = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count));
    return _mm512_maskz_loadu_epi8(inside, table + part * kRegisterBytes);
}

// Tables held in kParts registers (1, 2 or 4), of elements of 1, 2 or 4 bytes. take gives the
// elements at 16 places, packed into the low bytes.
template <std::int64_t kBytes, int kParts>
struct RegisterTable {
    static constexpr std::int64_t kPlaces = kParts * kRegisterBytes / kBytes;
    static constexpr bool kTakesBytes = kBytes == 1;
    __m512i parts[kParts];

    RegisterTable(const std::byte* table, std::int64_t limit) noexcept {
        for (int part = 0; part < kParts; ++part)
            parts[part] = load_part(table, limit * kBytes, part);
    }

    void look_up(__m512i places, std::byte* items) const noexcept {
        if constexpr (kBytes == 1) {
            const __m512i narrow = _mm512_castsi128_si512(_mm512_cvtepi32_epi8(places));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(items),
                             _mm512_castsi512_si128(take(narrow)));
        } else if constexpr (kBytes == 2) {
            const __m512i narrow = _mm512_castsi256_si512(_mm512_cvtepi32_epi16(places));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(items),
                                _mm512_castsi512_si256(take(narrow)));
        } else {
            _mm512_storeu_si512(items, take(places));
        }
    }

    // The elements at places that are as wide as they.
    __m512i take(__m512i places) const noexcept {
        if constexpr (kBytes == 1 && kParts == 1) {
            return _mm512_permutexvar_epi8(places, parts[0]);
        } else if constexpr (kBytes == 1) {
            const __m512i low = _mm512_permutex2var_epi8(parts[0], places, parts[1]);
            const __m512i high = _mm512_permutex2var_epi8(parts[2], places, parts[3]);
            return _mm512_mask_blend_epi8(_mm512_movepi8_mask(places), low, high);
        } else if constexpr (kBytes == 2) {
            return _mm512_permutex2var_epi16(parts[0], places, parts[1]);
        } else {
            const __m512i low = _mm512_permutex2var_epi32(parts[0], places, parts[1]);
            const __m512i high = _mm512_permutex2var_epi32(parts[2], places, parts[3]);
            const __mmask16 in_high = _mm512_test_epi32_mask(places, _mm512_set1_epi32(32));
            return _mm512_mask_blend_epi32(in_high, low, high);
        }
    }
};

// Tables in memory, by hardware gathers. These read 4 bytes at least: a shorter element
// together with what is behind it, or before it at the table's end.
template <std::int64_t kBytes>
struct GatheredTable {
    static constexpr std::int64_t kAtOnce = std::max<std::int64_t>(4 / kBytes, 1);
    static constexpr bool kTakesBytes = false;
    const std::byte* table;
    __m512i last_start;

    GatheredTable(const std::byte* from, std::int64_t limit) noexcept
        : table(from), last_start(_mm512_set1_epi32(static_cast<int>(limit - kAtOnce))) {}

    void look_up(__m512i places, std::byte* items) const noexcept {
        if constexpr (kBytes == 8) {
            const __m256i first = _mm512_castsi512_si256(places);
            const __m256i second = _mm512_extracti64x4_epi64(places, 1);
            _mm512_storeu_si512(items, _mm512_i32gather_epi64(first, table, 8));
            _mm512_storeu_si512(items + kRegisterBytes, _mm512_i32gather_epi64(second, table, 8));
        } else if constexpr (kBytes == 4) {
            _mm512_storeu_si512(items, _mm512_i32gather_epi32(places, table, 4));
        } else {
            constexpr int kLogOfBits = kBytes == 1 ? 3 : 4;
            const __m512i start = _mm512_min_epi32(places, last_start);
            const __m512i before = _mm512_slli_epi32(_mm512_sub_epi32(places, start), kLogOfBits);
            const __m512i found =
                _mm512_srlv_epi32(_mm512_i32gather_epi32(start, table, kBytes), before);
            if constexpr (kBytes == 1) {
                _mm_storeu_si128(reinterpret_cast<__m128i*>(items), _mm512_cvtepi32_epi8(found));
            } else {
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(items),
                                    _mm512_cvtepi32_epi16(found));
            }
        }
    }
};

}  // namespace
}  // namespace dmlindex::cpu
