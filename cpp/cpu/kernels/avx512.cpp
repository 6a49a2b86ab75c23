// AVX-512 (F, BW, DQ, VL, VBMI): eight 64-bit lanes.

#include <algorithm>

#include "cpu/kernels/avx512_tables.hpp"
#include "cpu/kernels/shuffle.hpp"
#include "cpu/kernels/vector_kernels.hpp"

namespace dmlindex::cpu {
namespace {

struct Avx512 {
    static constexpr int kLanes = 8;
    static constexpr std::size_t kLaneBytes = 8;
    __m512i lanes;

    static Avx512 splat(std::int64_t value) noexcept { return {_mm512_set1_epi64(value)}; }
    static Avx512 counting(std::int64_t step) noexcept {
        return {
            _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(step))};
    }

    template <class Index>
    static Avx512 load(const std::byte* from) noexcept {
        if constexpr (sizeof(Index) == 8) {
            return {_mm512_loadu_si512(from)};
        } else if constexpr (sizeof(Index) == 4) {
            const __m256i narrow = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
            return {std::is_signed_v<Index> ? _mm512_cvtepi32_epi64(narrow)
                                            : _mm512_cvtepu32_epi64(narrow)};
        } else if constexpr (sizeof(Index) == 2) {
            const __m128i narrow = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
            return {std::is_signed_v<Index> ? _mm512_cvtepi16_epi64(narrow)
                                            : _mm512_cvtepu16_epi64(narrow)};
        } else {
            const __m128i narrow = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
            return {std::is_signed_v<Index> ? _mm512_cvtepi8_epi64(narrow)
                                            : _mm512_cvtepu8_epi64(narrow)};
        }
    }

    template <class Index>
    static Avx512 load_strided(const std::byte* from, std::int64_t stride) noexcept {
        if constexpr (sizeof(Index) >= 4) {
            if (stride == 2 * sizeof(Index)) return load_of_pairs<Index>(from);
        }
        Index values[kLanes];
        for (int i = 0; i < kLanes; ++i) std::memcpy(values + i, from + i * stride, sizeof(Index));
        if constexpr (sizeof(Index) == 8) {
            const auto lane = [&](int i) { return static_cast<std::int64_t>(values[i]); };
            return {_mm512_set_epi64(lane(7), lane(6), lane(5), lane(4), lane(3), lane(2), lane(1),
                                     lane(0))};
        } else {
            const auto lane = [&](int i) { return static_cast<int>(values[i]); };
            const __m256i words = _mm256_set_epi32(lane(7), lane(6), lane(5), lane(4), lane(3),
                                                   lane(2), lane(1), lane(0));
            return {std::is_same_v<Index, std::uint32_t> ? _mm512_cvtepu32_epi64(words)
                                                         : _mm512_cvtepi32_epi64(words)};
        }
    }

    // One of each pair of indices; the masks keep off what follows the last.
    template <class Index>
    static Avx512 load_of_pairs(const std::byte* from) noexcept {
        if constexpr (sizeof(Index) == 8) {
            const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
            return {_mm512_permutex2var_epi64(_mm512_maskz_loadu_epi64(0x55, from), even,
                                              _mm512_maskz_loadu_epi64(0x55, from + 64))};
        } else {
            const __m512i low = _mm512_maskz_loadu_epi32(0x5555, from);
            return {std::is_signed_v<Index> ? _mm512_srai_epi64(_mm512_slli_epi64(low, 32), 32)
                                            : low};
        }
    }

    static void stream_line(std::byte* to, const std::byte* from) noexcept {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
    }
    static void fence() noexcept { _mm_sfence(); }

    void store(std::int64_t* to) const noexcept { _mm512_storeu_si512(to, lanes); }

    template <std::int64_t kBytes>
    void store_narrow(std::byte* to) const noexcept {
        if constexpr (kBytes == 8) {
            _mm512_storeu_si512(to, lanes);
        } else if constexpr (kBytes == 4) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi64_epi32(lanes));
        } else if constexpr (kBytes == 2) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi64_epi16(lanes));
        } else {
            _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm512_cvtepi64_epi8(lanes));
        }
    }
};

inline Avx512 operator+(Avx512 a, Avx512 b) noexcept {
    return {_mm512_add_epi64(a.lanes, b.lanes)};
}
inline Avx512 operator-(Avx512 a, Avx512 b) noexcept {
    return {_mm512_sub_epi64(a.lanes, b.lanes)};
}
inline Avx512 operator&(Avx512 a, Avx512 b) noexcept {
    return {_mm512_and_si512(a.lanes, b.lanes)};
}
inline Avx512 operator|(Avx512 a, Avx512 b) noexcept { return {_mm512_or_si512(a.lanes, b.lanes)}; }
inline Avx512 equal(Avx512 a, Avx512 b) noexcept {
    return {_mm512_movm_epi64(_mm512_cmpeq_epi64_mask(a.lanes, b.lanes))};
}
inline Avx512 multiply_low(Avx512 a, Avx512 b) noexcept {
    return {_mm512_mul_epu32(a.lanes, b.lanes)};
}
inline Avx512 multiply_signed(Avx512 a, Avx512 b) noexcept {
    return {_mm512_mul_epi32(a.lanes, b.lanes)};
}
inline Avx512 negative(Avx512 v) noexcept { return {_mm512_srai_epi64(v.lanes, 63)}; }
inline bool any_negative(Avx512 v) noexcept { return _mm512_movepi64_mask(v.lanes) != 0; }
inline Avx512 select_negative(Avx512 mask, Avx512 a, Avx512 b) noexcept {
    return {_mm512_mask_blend_epi64(_mm512_movepi64_mask(mask.lanes), b.lanes, a.lanes)};
}
inline Avx512 clamp(Avx512 v, Avx512 low, Avx512 high) noexcept {
    return {_mm512_min_epi64(_mm512_max_epi64(v.lanes, low.lanes), high.lanes)};
}

struct Avx512Bytes {
    static constexpr std::int64_t kSize = kRegisterBytes;
    __m512i bytes;

    static Avx512Bytes load(const std::byte* from) noexcept { return {_mm512_loadu_si512(from)}; }
    void store(std::byte* to) const noexcept { _mm512_storeu_si512(to, bytes); }
    Avx512Bytes pick(Avx512Bytes control) const noexcept {
        return {_mm512_permutexvar_epi8(control.bytes, bytes)};
    }
    Avx512Bytes pick_or_zero(Avx512Bytes control) const noexcept {
        const __mmask64 there = ~_mm512_movepi8_mask(control.bytes);
        return {_mm512_maskz_permutexvar_epi8(there, control.bytes, bytes)};
    }
    Avx512Bytes operator|(Avx512Bytes other) const noexcept {
        return {_mm512_or_si512(bytes, other.bytes)};
    }
};

// Indices are held 16 at a time, but those of very long axes.
template <class Index, std::int64_t kPackedBytes>
bool hold_words(const IndexRun& run, std::byte* packed) noexcept {
    return run.coordinates[0].limit <= Avx512Words::kMostLimit
               ? hold<Avx512Words, Index, kPackedBytes>(run, packed)
               : hold<Avx512, Index, kPackedBytes>(run, packed);
}

}  // namespace

void add_avx512_kernels(Kernels& kernels) noexcept {
    add_vector_kernels<Avx512>(kernels);  // rows stay with AVX2: NumPy's arrays seldom lie at whole
                                          // cache lines, and a store of 64 bytes then touches two
    for_each_index_type_and_mode([&]<class Index, Mode kMode>(int type, int mode) {
        // Of 1 and 2 bytes, which a move puts together 16 bytes at a time, two passes are quicker.
        std::fill_n(kernels.look_up_placed[type][mode], 2, nullptr);
        kernels.hold[type][0] = hold_words<Index, 1>;
        kernels.hold[type][1] = hold_words<Index, 2>;
        kernels.hold[type][2] = hold_words<Index, 4>;
    });
    kernels.aside_share = 8;  // as 16 are held at a time
    add_shuffle<Avx512Bytes>(kernels);
    add_avx512_look_ups(kernels);  // in place of those of eight lanes, which are behind AVX2's
    add_avx512_line_look_ups(kernels);
}

}  // namespace dmlindex::cpu
