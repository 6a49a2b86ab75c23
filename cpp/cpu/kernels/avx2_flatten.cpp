// AVX2: tuples of indices, eight at a time.

#include <immintrin.h>

#include "cpu/kernels/flatten.hpp"

namespace dmlindex::cpu {
namespace {

struct Avx2Words {
    static constexpr int kLanes = 8;
    static constexpr std::size_t kLaneBytes = 4;
    __m256i lanes;

    static Avx2Words splat(std::int64_t value) noexcept {
        return {_mm256_set1_epi32(static_cast<int>(value))};
    }

    // Of 64 bits the low words, in another order that pick knows; what does not fit is outside, or
    // under Mode::kClamp saturated.
    template <class Index, Mode kMode>
    static Avx2Words load_tuples(const std::byte* from, Avx2Words& outside) noexcept {
        if constexpr (sizeof(Index) == 8) {
            const __m256 first = _mm256_castsi256_ps(load_once(from));
            const __m256 second = _mm256_castsi256_ps(load_once(from + 32));
            const __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(first, second, 0x88));
            const __m256i high = _mm256_castps_si256(_mm256_shuffle_ps(first, second, 0xdd));
            const __m256i all = _mm256_set1_epi32(-1);
            const __m256i due =
                std::is_signed_v<Index> ? _mm256_srai_epi32(low, 31) : _mm256_setzero_si256();
            const __m256i fits = _mm256_cmpeq_epi32(high, due);
            if constexpr (kMode != Mode::kClamp) {
                outside.lanes = _mm256_or_si256(outside.lanes, _mm256_xor_si256(fits, all));
                return {low};
            } else if constexpr (std::is_unsigned_v<Index>) {
                return {_mm256_or_si256(low, _mm256_xor_si256(fits, all))};
            } else {
                const __m256i end =
                    _mm256_xor_si256(_mm256_srai_epi32(high, 31), _mm256_srli_epi32(all, 1));
                return {_mm256_blendv_epi8(end, low, fits)};
            }
        } else if constexpr (sizeof(Index) == 4) {
            return {load_once(from)};
        } else if constexpr (sizeof(Index) == 2) {
            const __m128i narrow = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
            return once(Avx2Words{std::is_signed_v<Index> ? _mm256_cvtepi16_epi32(narrow)
                                                          : _mm256_cvtepu16_epi32(narrow)});
        } else {
            const __m128i narrow = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
            return once(Avx2Words{std::is_signed_v<Index> ? _mm256_cvtepi8_epi32(narrow)
                                                          : _mm256_cvtepu8_epi32(narrow)});
        }
    }

    template <class Index, int kCount, int k>
    static Avx2Words pick(const std::array<Avx2Words, kCount>& words) noexcept {
        alignas(32) static constexpr auto kFrom = [] {
            auto from = words_of_tuples<kLanes, kCount, k>();
            constexpr int kShuffled[] = {0, 1, 4, 5, 2, 3, 6, 7};  // where each word of a vector is
            for (int& word : from) {
                if (sizeof(Index) == 8) word = kShuffled[word % kLanes];
            }
            return from;
        }();
        const __m256i from = _mm256_load_si256(reinterpret_cast<const __m256i*>(kFrom.data()));
        const auto of = [&](std::size_t v) {
            return _mm256_permutevar8x32_epi32(words[v].lanes, from);
        };
        // Blends may be macros, which take a template's commas for their own.
        constexpr int kFromSecond = words_from<kLanes, kCount, k>(1);
        constexpr int kFromThird = words_from<kLanes, kCount, k>(2);
        constexpr int kFromFourth = words_from<kLanes, kCount, k>(3);
        __m256i found = _mm256_blend_epi32(of(0), of(1), kFromSecond);
        if constexpr (kCount > 2) found = _mm256_blend_epi32(found, of(2), kFromThird);
        if constexpr (kCount > 3) found = _mm256_blend_epi32(found, of(3), kFromFourth);
        return {found};
    }

    void store_words(std::uint32_t* to) const noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes);
    }

  private:
    static __m256i load_once(const std::byte* from) noexcept {
        return once(Avx2Words{_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))}).lanes;
    }
};

inline Avx2Words operator+(Avx2Words a, Avx2Words b) noexcept {
    return {_mm256_add_epi32(a.lanes, b.lanes)};
}
inline Avx2Words operator-(Avx2Words a, Avx2Words b) noexcept {
    return {_mm256_sub_epi32(a.lanes, b.lanes)};
}
inline Avx2Words operator&(Avx2Words a, Avx2Words b) noexcept {
    return {_mm256_and_si256(a.lanes, b.lanes)};
}
inline Avx2Words operator|(Avx2Words a, Avx2Words b) noexcept {
    return {_mm256_or_si256(a.lanes, b.lanes)};
}
inline Avx2Words multiply_words(Avx2Words a, Avx2Words b) noexcept {
    return {_mm256_mullo_epi32(a.lanes, b.lanes)};
}
inline Avx2Words negative(Avx2Words v) noexcept { return {_mm256_srai_epi32(v.lanes, 31)}; }
inline bool any_negative(Avx2Words v) noexcept {
    return _mm256_movemask_ps(_mm256_castsi256_ps(v.lanes)) != 0;
}
inline Avx2Words select_negative(Avx2Words mask, Avx2Words a, Avx2Words b) noexcept {
    return {_mm256_blendv_epi8(b.lanes, a.lanes, negative(mask).lanes)};
}
inline Avx2Words clamp(Avx2Words v, Avx2Words low, Avx2Words high) noexcept {
    return {_mm256_min_epi32(_mm256_max_epi32(v.lanes, low.lanes), high.lanes)};
}

}  // namespace

void add_avx2_flatten(Kernels& kernels) noexcept { add_flatten<Avx2Words>(kernels); }

}  // namespace dmlindex::cpu
