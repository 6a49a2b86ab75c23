// AVX-512 look-ups on a linear plan's line.
#include <bit>
#include <cstring>

#include "cpu/kernels/avx512_tables.hpp"

namespace dmlindex::cpu {
namespace {

// Of 16 indices the low 32 bits, and limit added where one is negative.
template <class Index>
__m512i low_words(const std::byte* from, __m512i limit) noexcept {
    const __m512i first = once(Avx512Words{_mm512_loadu_si512(from)}).lanes;
    if constexpr (sizeof(Index) == 8) {
        const __m512i second = once(Avx512Words{_mm512_loadu_si512(from + kRegisterBytes)}).lanes;
        const __m512i words = _mm512_inserti64x4(
            _mm512_castsi256_si512(_mm512_cvtepi64_epi32(first)), _mm512_cvtepi64_epi32(second), 1);
        const auto negative =
            static_cast<__mmask16>(_mm512_movepi64_mask(first) | _mm512_movepi64_mask(second) << 8);
        return _mm512_mask_add_epi32(words, negative, words, limit);
    } else if constexpr (std::is_signed_v<Index>) {
        return _mm512_mask_add_epi32(first, _mm512_movepi32_mask(first), first, limit);
    } else {
        return first;
    }
}

template <class Table, class Index, std::int64_t kBytes>
std::int64_t look_up_line_in(const IndexRun& run, std::int64_t last_place, const std::byte* line,
                             std::byte* items) noexcept {
    if (last_place >= Avx512Words::kMostLimit) return 0;
    const Table table(line, last_place + 1);
    const __m512i limit = Avx512Words::splat(run.coordinates[0].limit).lanes;
    const __m512i base = Avx512Words::splat(run.table_offset).lanes;
    const __m512i last = Avx512Words::splat(last_place).lanes;
    const std::byte* const first = line + run.table_offset * kBytes;
    const std::byte* const indices = run.indices;
    const std::int64_t count = run.count;
    std::int64_t i = 0;
    for (; i + kLookUpStep <= count; i += kLookUpStep) {
        const __m512i words =
            low_words<Index>(indices + i * static_cast<std::int64_t>(sizeof(Index)), limit);
        fetch_elements<Index>(run, first, kBytes, i);
        table.look_up(_mm512_min_epu32(_mm512_add_epi32(words, base), last), items + i * kBytes);
    }
    return i;
}

// A run whose axis fits registers, though the line may not: what is out of range follows one by
// one, or all 16 where it is more than a few.
constexpr int kFew = 3;

template <class Table, class Index, std::int64_t kBytes>
std::int64_t look_up_axis_in(const IndexRun& run, std::int64_t last_place, const std::byte* line,
                             std::byte* items) noexcept {
    if (last_place < Table::kPlaces) {
        return look_up_line_in<Table, Index, kBytes>(run, last_place, line, items);
    }
    const std::int64_t size = run.coordinates[0].limit;
    const Table table(line + run.table_offset * kBytes, size);
    const __m512i limit = Avx512Words::splat(size).lanes;
    const std::byte* const indices = run.indices;
    const __m512i first = Avx512Words::splat(run.table_offset).lanes;
    const __m512i last = Avx512Words::splat(last_place).lanes;
    const std::int64_t count = run.count;
    std::int64_t i = 0;
    for (; i + kLookUpStep <= count; i += kLookUpStep) {
        const __m512i words =
            low_words<Index>(indices + i * static_cast<std::int64_t>(sizeof(Index)), limit);
        table.look_up(words, items + i * kBytes);
        __mmask16 outside = _mm512_cmpge_epu32_mask(words, limit);
        if (outside == 0) [[likely]]
            continue;
        alignas(kRegisterBytes) std::uint32_t places[kLookUpStep];
        _mm512_store_si512(places, _mm512_min_epu32(_mm512_add_epi32(words, first), last));
        const auto copy = [&](std::int64_t j) {
            std::memcpy(items + (i + j) * kBytes, line + std::int64_t{places[j]} * kBytes, kBytes);
        };
        if (std::popcount(static_cast<unsigned>(outside)) > kFew) {
#pragma GCC unroll 16
            for (std::int64_t j = 0; j < kLookUpStep; ++j) copy(j);
            continue;
        }
        for (; outside != 0; outside = static_cast<__mmask16>(outside & (outside - 1))) {
            copy(std::countr_zero(static_cast<unsigned>(outside)));
        }
    }
    return i;
}

// In as many registers as the line takes, or else the axis: kParts, or one of those that follow.
template <class Index, std::int64_t kBytes, int kParts, int... kMore>
std::int64_t look_up_axis(const IndexRun& run, std::int64_t last_place, const std::byte* line,
                          std::byte* items) noexcept {
    using Table = RegisterTable<kBytes, kParts>;
    if constexpr (sizeof...(kMore) > 0) {
        const bool line_fits = last_place < kernels().small_table[slice_class(kBytes)];
        const std::int64_t places = line_fits ? last_place + 1 : run.coordinates[0].limit;
        if (places > Table::kPlaces)
            return look_up_axis<Index, kBytes, kMore...>(run, last_place, line, items);
    }
    return look_up_axis_in<Table, Index, kBytes>(run, last_place, line, items);
}

}  // namespace

void add_avx512_line_look_ups(Kernels& kernels) noexcept {
    const bool gathers = gathers_are_fast(kernels);
    const auto on_lines = [&]<class Index>(IndexType type) {
        LineLookUpKernel(&small)[kSliceClasses] =
            kernels.line_look_up_small[static_cast<int>(type)];
        small[0] = look_up_axis<Index, 1, 1, 4, 16, 32>;
        small[1] = look_up_axis<Index, 2, 2, 4, 8, 16>;
        small[2] = look_up_axis<Index, 4, 4, 8, 16>;
        small[3] = look_up_axis<Index, 8, 2, 4>;
        if (gathers) {
            LineLookUpKernel(&any)[kSliceClasses] = kernels.line_look_up[static_cast<int>(type)];
            any[2] = look_up_line_in<GatheredTable<4>, Index, 4>;
            any[3] = look_up_line_in<GatheredTable<8>, Index, 8>;
        }
    };
    on_lines.template operator()<std::int32_t>(IndexType::kInt32);
    on_lines.template operator()<std::uint32_t>(IndexType::kUint32);
    on_lines.template operator()<std::int64_t>(IndexType::kInt64);
    on_lines.template operator()<std::uint64_t>(IndexType::kUint64);
}

}  // namespace dmlindex::cpu
