// Tables that AVX-512 looks elements up in, by 16 places in 32-bit lanes at a time.
#pragma once

// GCC's own header trips over these warnings (GCC bug 105593), at the end of the file too.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "cpu/kernels/flatten.hpp"
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

    // The next two are for flatten.hpp.
    template <class Index, Mode kMode>
    static Avx512Words load_tuples(const std::byte* from, Avx512Words&) noexcept {
        return indices_at<Avx512Words, Index>(from);
    }

    template <class Index, int kCount, int k>
    static Avx512Words pick(const std::array<Avx512Words, kCount>& words) noexcept {
        alignas(64) static constexpr auto kFrom = words_of_tuples<kLanes, kCount, k>();
        constexpr auto kLater = static_cast<__mmask16>(words_from<kLanes, kCount, k>(2));
        const __m512i from = _mm512_load_si512(kFrom.data());
        const __m512i first = _mm512_permutex2var_epi32(words[0].lanes, from, words[1].lanes);
        if constexpr (kCount == 3) {
            return {_mm512_mask_permutexvar_epi32(first, kLater, from, words[2].lanes)};
        } else if constexpr (kCount == 4) {
            const __m512i later = _mm512_permutex2var_epi32(words[2].lanes, from, words[3].lanes);
            return {_mm512_mask_blend_epi32(kLater, first, later)};
        } else {
            return {first};
        }
    }

    void store_words(std::uint32_t* to) const noexcept { _mm512_storeu_si512(to, lanes); }

    template <std::int64_t kBytes>
    void store_narrow(std::byte* to) const noexcept {
        if constexpr (kBytes == 1) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(lanes));
        } else if constexpr (kBytes == 2) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(lanes));
        } else {
            _mm512_storeu_si512(to, lanes);
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
inline Avx512Words multiply_words(Avx512Words a, Avx512Words b) noexcept {
    return {_mm512_mullo_epi32(a.lanes, b.lanes)};
}
inline Avx512Words negative(Avx512Words v) noexcept { return {_mm512_srai_epi32(v.lanes, 31)}; }
inline bool any_negative(Avx512Words v) noexcept { return _mm512_movepi32_mask(v.lanes) != 0; }
inline Avx512Words select_negative(Avx512Words mask, Avx512Words a, Avx512Words b) noexcept {
    return {_mm512_mask_blend_epi32(_mm512_movepi32_mask(mask.lanes), b.lanes, a.lanes)};
}
inline Avx512Words clamp(Avx512Words v, Avx512Words low, Avx512Words high) noexcept {
    return {_mm512_min_epi32(_mm512_max_epi32(v.lanes, low.lanes), high.lanes)};
}

// Of a's integers of the type, and then of b's, every other one from the first on, or the second.
template <class Integer, Integer kFirst>
__m512i every_other(__m512i a, __m512i b) noexcept {
    struct Counting {
        Integer lanes[kRegisterBytes / sizeof(Integer)];
        constexpr Counting() : lanes() {
            for (Integer i = 0; Integer & lane : lanes)
                lane = static_cast<Integer>(2 * i++ + kFirst);
        }
    };
    alignas(kRegisterBytes) static constexpr Counting kCounting;
    const __m512i counting = _mm512_load_si512(&kCounting);
    if constexpr (sizeof(Integer) == 2) {
        return _mm512_permutex2var_epi16(a, counting, b);
    } else {
        return _mm512_permutex2var_epi8(a, counting, b);
    }
}

// A table's bytes from register·64 on; zeros behind its end, where nothing is read.
inline __m512i load_part(const std::byte* table, std::int64_t table_bytes, int part) noexcept {
    const std::int64_t count =
        std::clamp<std::int64_t>(table_bytes - part * kRegisterBytes, 0, kRegisterBytes);
    const __mmask64 inside = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count));
    return _mm512_maskz_loadu_epi8(inside, table + part * kRegisterBytes);
}

// Where to look in registers: the low byte of each place, or the whole place where elements are
// wider, and of places beyond a byte what is above it.
struct RegisterPlaces {
    __m512i low;
    __m512i above;
};

// Tables of elements of 1 to 8 bytes, held in kParts registers: a power of two of them. Looks up
// kStep places at a time, as many as fill a register, or two.
template <std::int64_t kBytes, int kParts>
struct RegisterTable {
    static constexpr std::int64_t kPlaces = kParts * kRegisterBytes / kBytes;
    static constexpr std::int64_t kStep = std::max(kRegisterBytes / kBytes, kLookUpStep);
    static constexpr bool kTakesBytes = kBytes == 1 && kPlaces <= 256;
    __m512i parts[kParts];

    RegisterTable(const std::byte* table, std::int64_t limit) noexcept {
        for (int part = 0; part < kParts; ++part)
            parts[part] = load_part(table, limit * kBytes, part);
    }

    // 16 places.
    void look_up(__m512i places, std::byte* items) const noexcept {
        if constexpr (kBytes == 1) {
            const __m512i low = _mm512_castsi128_si512(_mm512_cvtepi32_epi8(places));
            const __m512i above =
                _mm512_castsi128_si512(_mm512_cvtepi32_epi8(_mm512_srli_epi32(places, 8)));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(items),
                             _mm512_castsi512_si128(take({low, above})));
        } else if constexpr (kBytes == 2) {
            const __m512i narrow = _mm512_castsi256_si512(_mm512_cvtepi32_epi16(places));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(items),
                                _mm512_castsi512_si256(take({narrow, narrow})));
        } else if constexpr (kBytes == 4) {
            _mm512_storeu_si512(items, take({places, places}));
        } else {
            const auto look_up_half = [&](__m256i half, std::byte* to) {
                const __m512i wide = _mm512_cvtepi32_epi64(half);
                _mm512_storeu_si512(to, take({wide, wide}));
            };
            look_up_half(_mm512_castsi512_si256(places), items);
            look_up_half(_mm512_extracti64x4_epi64(places, 1), items + kRegisterBytes);
        }
    }

    // kStep places, 16 in each of places.
    void look_up_step(const __m512i* places, std::byte* items) const noexcept {
        if constexpr (kBytes == 1) {
            const __m512i first = every_other<std::int16_t, 0>(places[0], places[1]);
            const __m512i second = every_other<std::int16_t, 0>(places[2], places[3]);
            _mm512_storeu_si512(items, take({every_other<std::int8_t, 0>(first, second),
                                             every_other<std::int8_t, 1>(first, second)}));
        } else if constexpr (kBytes == 2) {
            const __m512i narrow = every_other<std::int16_t, 0>(places[0], places[1]);
            _mm512_storeu_si512(items, take({narrow, narrow}));
        } else {
            look_up(places[0], items);
        }
    }

    __m512i take(RegisterPlaces places) const noexcept {
        if constexpr (kParts == 1) {
            return _mm512_permutexvar_epi8(places.low, parts[0]);
        } else {
            return take_from<kParts>(parts, places);
        }
    }

  private:
    // From kCount registers: from either half of them, as the places' highest bit says.
    template <int kCount>
    static __m512i take_from(const __m512i* from, RegisterPlaces places) noexcept {
        if constexpr (kCount > 2) {
            const __m512i first = take_from<kCount / 2>(from, places);
            const __m512i second = take_from<kCount / 2>(from + kCount / 2, places);
            constexpr int kBit = kCount / 2 * static_cast<int>(kRegisterBytes / kBytes);
            if constexpr (kBytes == 1) {
                const __mmask64 in_second =
                    kBit == 128 ? _mm512_movepi8_mask(places.low)
                                : _mm512_test_epi8_mask(places.above, _mm512_set1_epi8(kBit >> 8));
                return _mm512_mask_blend_epi8(in_second, first, second);
            } else if constexpr (kBytes == 2) {
                return _mm512_mask_blend_epi16(
                    _mm512_test_epi16_mask(places.low, _mm512_set1_epi16(kBit)), first, second);
            } else if constexpr (kBytes == 4) {
                return _mm512_mask_blend_epi32(
                    _mm512_test_epi32_mask(places.low, _mm512_set1_epi32(kBit)), first, second);
            } else {
                return _mm512_mask_blend_epi64(
                    _mm512_test_epi64_mask(places.low, _mm512_set1_epi64(kBit)), first, second);
            }
        } else if constexpr (kBytes == 1) {
            return _mm512_permutex2var_epi8(from[0], places.low, from[1]);
        } else if constexpr (kBytes == 2) {
            return _mm512_permutex2var_epi16(from[0], places.low, from[1]);
        } else if constexpr (kBytes == 4) {
            return _mm512_permutex2var_epi32(from[0], places.low, from[1]);
        } else {
            return _mm512_permutex2var_epi64(from[0], places.low, from[1]);
        }
    }
};

// Tables in memory, by hardware gathers. These read 4 bytes at least: a shorter element together
// with those of its aligned word, as reads across lines take twice as long and more, or with those
// before it at the table's end.
template <std::int64_t kBytes>
struct GatheredTable {
    static constexpr std::int64_t kStep = kLookUpStep;
    static constexpr std::int64_t kAtOnce = std::max<std::int64_t>(4 / kBytes, 1);
    static constexpr bool kTakesBytes = false;
    const std::byte* table;
    __m512i last_start;
    __m512i starts;  // the bits of a word's first place; all of them where words are not aligned

    GatheredTable(const std::byte* from, std::int64_t limit) noexcept
        : table(from),
          last_start(_mm512_set1_epi32(static_cast<int>(limit - kAtOnce))),
          starts(_mm512_set1_epi32(
              reinterpret_cast<std::uintptr_t>(from) % 4 == 0 ? -static_cast<int>(kAtOnce) : -1)) {}

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
            const __m512i start = _mm512_min_epi32(_mm512_and_si512(places, starts), last_start);
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
