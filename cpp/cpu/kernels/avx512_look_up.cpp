// AVX-512 look-ups: 16 indices at a time in 32-bit lanes, and tables that fit in registers; and
// tuples, as many at a time.
// An element in cache on a Sapphire Rapids: 0.4 ns by AVX2; 0.10 to 0.23 from registers, or 0.01 to
// 0.03 where indices and elements are bytes; 0.17 to 0.30 by hardware gathers.

#include "cpu/kernels/avx512_tables.hpp"
#include "cpu/kernels/trials.hpp"

namespace dmlindex::cpu {
namespace {

// Indices that are bytes, into a table of bytes: 64 at a time. Returns how many it moved.
template <Mode kMode, class Table>
std::int64_t look_up_bytes(const IndexRun& run, const Table& table, std::byte* items) noexcept {
    const std::int64_t last_place = std::min<std::int64_t>(run.coordinates[0].limit - 1, 255);
    const __m512i last = _mm512_set1_epi8(static_cast<char>(last_place));
    const std::byte* const indices = run.indices;
    const std::int64_t whole = run.count - run.count % kRegisterBytes;
    for (std::int64_t i = 0; i < whole; i += kRegisterBytes) {
        __m512i places = once(Avx512Words{_mm512_loadu_si512(indices + i)}).lanes;
        if constexpr (kMode == Mode::kClamp) {
            places = _mm512_min_epu8(places, last);
        } else {
            if (_mm512_cmpgt_epu8_mask(places, last) != 0) return i;
        }
        _mm512_storeu_si512(items + i, table.take({places, places}));
    }
    return whole;
}

template <class Table, class Index, Mode kMode, std::int64_t kBytes>
std::int64_t look_up_in(const IndexRun& run, const std::byte* elements, std::byte* items) noexcept {
    if (run.count < kLookUpStep) return look_up_scalar<Index, kMode, kBytes>(run, elements, items);
    const std::int64_t size = run.coordinates[0].limit;
    if (size == 0 || size > Avx512Words::kMostLimit) return 0;  // without places, none is the last
    const Table table(elements, size);
    const Avx512Words limit = Avx512Words::splat(size);
    const Avx512Words last = Avx512Words::splat(size - 1);
    const std::byte* const indices = run.indices;
    const std::int64_t count = run.count;
    const std::int64_t ahead = ahead_bytes(run);
    std::int64_t i = 0;
    if constexpr (Table::kTakesBytes && std::is_same_v<Index, std::uint8_t>) {
        i = look_up_bytes<kMode>(run, table, items);
    }
    // Places of some 16 positions from at on; whether all are inside.
    const auto place_some = [&]<std::size_t kWords>(std::int64_t at, __m512i(&places)[kWords]) {
        Avx512Words any_outside = Avx512Words::splat(0);
#pragma GCC unroll 4
        for (__m512i& words : places) {
            const std::byte* const from = indices + at * static_cast<std::int64_t>(sizeof(Index));
            fetch_ahead(from, kLookUpStep * static_cast<std::int64_t>(sizeof(Index)), ahead);
            Avx512Words outside = Avx512Words::splat(0);
            const auto index = indices_at<Avx512Words, Index>(from);
            words = place<Avx512Words, Index, kMode>(index, limit, last, outside).lanes;
            any_outside = any_outside | outside;
            at += kLookUpStep;
        }
        return !any_negative(any_outside);
    };
    if constexpr (Table::kStep > kLookUpStep) {
        for (; i + Table::kStep <= count; i += Table::kStep) {
            __m512i places[Table::kStep / kLookUpStep];
            if (!place_some(i, places)) break;
            for (std::int64_t at = i; at < i + Table::kStep; at += kLookUpStep) {
                fetch_elements<Index>(run, elements, kBytes, at);
            }
            table.look_up_step(places, items + i * kBytes);
        }
    }
    const auto step = [&](std::int64_t at) {
        __m512i places[1];
        if (!place_some(at, places)) return false;
        fetch_elements<Index>(run, elements, kBytes, at);
        table.look_up(places[0], items + at * kBytes);
        return true;
    };
    return each_step(count, step, i);
}

// In as many registers as the table takes: kParts, or one of those that follow.
template <class Index, Mode kMode, std::int64_t kBytes, int kParts, int... kMore>
std::int64_t look_up_small(const IndexRun& run, const std::byte* table, std::byte* items) noexcept {
    using Table = RegisterTable<kBytes, kParts>;
    if constexpr (sizeof...(kMore) > 0) {
        if (run.coordinates[0].limit > Table::kPlaces)
            return look_up_small<Index, kMode, kBytes, kMore...>(run, table, items);
    }
    return look_up_in<Table, Index, kMode, kBytes>(run, table, items);
}

template <class Index, Mode kMode, std::int64_t kBytes>
std::int64_t look_up_gathered(const IndexRun& run, const std::byte* table,
                              std::byte* items) noexcept {
    using Table = GatheredTable<kBytes>;
    if constexpr (Table::kAtOnce > 1) {
        if (run.coordinates[0].limit < Table::kAtOnce)
            return look_up_in<RegisterTable<kBytes, kBytes>, Index, kMode, kBytes>(run, table,
                                                                                   items);
    }
    return look_up_in<Table, Index, kMode, kBytes>(run, table, items);
}

// Whether hardware gathers are quicker than loads of one element each, from L1. It is measured, in
// some 10 µs: they are on a Sapphire Rapids, but not on a Zen 4, nor on older CPUs of Intel's whose
// microcode makes them safe (GDS, "Downfall"); and virtual machines hide what tells these apart.
bool gathers_beat(LookUpKernel loads) noexcept {
    constexpr std::int64_t kCount = 1024;
    constexpr std::int64_t kBytes = 4;
    alignas(kRegisterBytes) std::int64_t indices[kCount];
    alignas(kRegisterBytes) std::byte table[kCount * kBytes] = {};
    alignas(kRegisterBytes) std::byte items[kCount * kBytes];
    for (std::int64_t i = 0; i < kCount; ++i) indices[i] = i * 389 % kCount;
    const Coordinate axis{kCount, kBytes, 0, 0};
    const IndexRun run{
        reinterpret_cast<const std::byte*>(indices), sizeof indices[0], kCount, 0, 0, &axis, 1};
    const LookUpKernel gathers = look_up_gathered<std::int64_t, Mode::kRaise, kBytes>;
    return is_quicker([&] { gathers(run, table, items); }, [&] { loads(run, table, items); });
}

}  // namespace

bool gathers_are_fast(const Kernels& kernels) noexcept {
    static const bool are_fast = gathers_beat(
        kernels.look_up[static_cast<int>(IndexType::kInt64)][static_cast<int>(Mode::kRaise)][2]);
    return are_fast;
}

void add_avx512_look_ups(Kernels& kernels) noexcept {
    const bool gathers = gathers_are_fast(kernels);
    for_each_index_type_and_mode([&]<class Index, Mode kMode>(int type, int mode) {
        constexpr Mode kPlaced = look_up_mode(kMode);
        LookUpKernel(&small)[kSliceClasses] = kernels.look_up_small[type][mode];
        small[0] = look_up_small<Index, kPlaced, 1, 1, 4, 16, 32>;
        small[1] = look_up_small<Index, kPlaced, 2, 2, 4, 8, 16>;
        small[2] = look_up_small<Index, kPlaced, 4, 4, 8, 16>;
        small[3] = look_up_small<Index, kPlaced, 8, 2, 4>;
        if (gathers) {
            LookUpKernel(&any)[kSliceClasses] = kernels.look_up[type][mode];
            constexpr int kGathered = 4;  // the classes of elements that gathers look up
            std::copy_n(any, kGathered, kernels.look_up_far[type][mode]);
            any[0] = look_up_gathered<Index, kPlaced, 1>;
            any[1] = look_up_gathered<Index, kPlaced, 2>;
            any[2] = look_up_gathered<Index, kPlaced, 4>;
            any[3] = look_up_gathered<Index, kPlaced, 8>;
        }
    });
    kernels.small_table[0] = 2048;
    kernels.small_table[1] = 512;
    kernels.small_table[2] = 256;
    kernels.small_table[3] = 32;
    // Fast gathers of these are as quick as the most registers.
    kernels.least_gathered[0] = gathers ? 1025 : 0;
    kernels.least_gathered[2] = gathers ? 129 : 0;
    add_flatten<Avx512Words>(kernels);
}

}  // namespace dmlindex::cpu
