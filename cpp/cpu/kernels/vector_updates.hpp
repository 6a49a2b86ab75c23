// Scatters and reductions of single elements by their indices, over the vector type of
// vector_kernels.hpp: while some are moved, the next indices are placed.
#pragma once

#include <cstring>
#include <type_traits>

#include "cpu/kernels/reduce_slice.hpp"
#include "cpu/kernels/vector_elements.hpp"

namespace dmlindex::cpu {
namespace {

template <std::int64_t kBytes, class Move>
[[gnu::always_inline]] inline void move_step(const std::int64_t* places, std::byte* table,
                                             const std::byte* items, Move move) noexcept {
#pragma GCC unroll 16
    for (std::int64_t j = 0; j < kLookUpStep; ++j)
        move(table + places[j] * kBytes, items + j * kBytes);
}

// Of a far table the places of some steps are asked for before the first of them is moved: calls
// place(i, places) for the next step while that returns true. Returns how many positions were
// moved, in whole steps.
template <std::int64_t kBytes, class Place, class Move>
[[gnu::always_inline]] inline std::int64_t update_far(std::int64_t count, std::byte* table,
                                                      const std::byte* items, Place place,
                                                      Move move) noexcept {
    constexpr std::int64_t kRing = 8 * kLookUpStep;
    alignas(kCacheLineBytes) std::int64_t ring[kRing];
    std::int64_t i = 0;
    std::int64_t placed = 0;
    for (; placed + kLookUpStep <= count; placed += kLookUpStep) {
        std::int64_t* const places = ring + placed % kRing;
        if (placed - i == kRing) {
            move_step<kBytes>(places, table, items + i * kBytes, move);
            i += kLookUpStep;
        }
        if (!place(placed, places)) break;
        // The hardware foresees those that go through the table in order.
        const std::int64_t apart = places[kLookUpStep - 1] - places[0];
        if (apart >= 0 && apart * kBytes < kLookUpStep * kCacheLineBytes) continue;
#pragma GCC unroll 16
        for (std::int64_t j = 0; j < kLookUpStep; ++j)
            __builtin_prefetch(table + places[j] * kBytes, 0, 2);
    }
    for (; i < placed; i += kLookUpStep)
        move_step<kBytes>(ring + i % kRing, table, items + i * kBytes, move);
    return i;
}

// The UpdateKernel for elements of kBytes: move(target, item) does one.
template <class Vector, class Index, std::int64_t kBytes, class Move>
[[gnu::always_inline]] inline std::int64_t update(const IndexRun& run, std::byte* table,
                                                  const std::byte* items, bool far,
                                                  Move move) noexcept {
    const Vector limit = Vector::splat(run.coordinates[0].limit);
    const Vector last = Vector::splat(run.coordinates[0].limit - 1);
    const std::byte* const indices = run.indices;
    const std::int64_t count = run.count;
    const std::int64_t ahead = ahead_bytes(run);
    const auto place = [=](std::int64_t first, std::int64_t* places) {
        fetch_ahead(items + first * kBytes, kLookUpStep * kBytes, ahead);
        const auto keep = [&](std::int64_t j, Vector at) { at.store(places + j); };
        return place_step<Vector, Index, Mode::kRaise>(indices, first, ahead, limit, last, keep);
    };
    std::int64_t i = 0;
    // Smaller indices reach no far places.
    if (sizeof(Index) >= 4 && far) i = update_far<kBytes>(count, table, items, place, move);
    for (; i + kLookUpStep <= count; i += kLookUpStep) {
        alignas(kCacheLineBytes) std::int64_t places[kLookUpStep];
        if (!place(i, places)) break;
        move_step<kBytes>(places, table, items + i * kBytes, move);
    }
    // The last few, or those before one that is out of range.
    for (; i < count; ++i) {
        const auto index = index_at<Index>(indices + i * static_cast<std::int64_t>(sizeof(Index)));
        const std::int64_t only = place_of<Index, Mode::kRaise>(index, run.coordinates[0].limit);
        if (only < 0) break;
        move(table + only * kBytes, items + i * kBytes);
    }
    return i;
}

template <class Vector, class Index, std::int64_t kBytes>
std::int64_t put(const IndexRun& run, std::byte* table, const std::byte* items, bool far) noexcept {
    return update<Vector, Index, kBytes>(
        run, table, items, far,
        [](std::byte* target, const std::byte* item) { std::memcpy(target, item, kBytes); });
}

template <class Vector, class Index, Reduction kReduction, class T>
std::int64_t put_reduced(const IndexRun& run, std::byte* table, const std::byte* items,
                         bool far) noexcept {
    return update<Vector, Index, static_cast<std::int64_t>(sizeof(T))>(
        run, table, items, far, [](std::byte* target, const std::byte* item) {
            T old = element_at<T>(target);
            // Read, combined, written: as one instruction for all three, many of which have their
            // place in the same register, each takes 10 ns on a Zen 4.
            if constexpr (std::is_integral_v<T>) asm("" : "+r"(old));
            const T result = combine<kReduction>(old, element_at<T>(item));
            std::memcpy(target, &result, sizeof(T));
        });
}

// Whether hardly any update changes its place, by a look at some.
template <class Index, Reduction kReduction, class T>
bool changes_little(const IndexRun& run, const std::byte* table, const std::byte* items) noexcept {
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    return holds_wherever_looked(run.count, [&](std::int64_t i) {
        const auto index =
            index_at<Index>(run.indices + i * static_cast<std::int64_t>(sizeof(Index)));
        const std::int64_t place = place_of<Index, Mode::kRaise>(index, run.coordinates[0].limit);
        return place >= 0 &&
               changes_nothing<kReduction, T>(table + place * kBytes, items + i * kBytes);
    });
}

// Minima and maxima, of which places soon have got so many that few change them: a store would make
// the next update of the place wait for it.
template <class Vector, class Index, Reduction kReduction, class T>
std::int64_t put_ordered(const IndexRun& run, std::byte* table, const std::byte* items,
                         bool far) noexcept {
    constexpr std::int64_t kLeast = 1024;
    constexpr std::int64_t kMost = 8 * kLeast;
    std::int64_t at_once = kLeast;  // soon more
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    const auto put_better = [](std::byte* target, const std::byte* item) {
        if (changes_nothing<kReduction, T>(target, item)) [[likely]]
            return;
        reduce_element<kReduction, T>(target, item);
    };
    std::int64_t done = 0;
    while (done < run.count) {
        IndexRun piece = behind(run, done);
        piece.count = std::min(piece.count, at_once);
        at_once = std::min(2 * at_once, kMost);
        const std::byte* const from = items + done * kBytes;
        const bool rarely = !far && piece.count >= kLeast &&
                            changes_little<Index, kReduction, T>(piece, table, from);
        const std::int64_t moved =
            rarely ? update<Vector, Index, kBytes>(piece, table, from, false, put_better)
                   : put_reduced<Vector, Index, kReduction, T>(piece, table, from, far);
        done += moved;
        if (moved < piece.count) break;
    }
    return done;
}

// Calls visit<Index>(type) for the indices that models have, and those that are held.
template <class Visit>
void for_update_indices(Visit visit) noexcept {
    const auto each = [&]<class Index>(IndexType type) {
        visit.template operator()<Index>(static_cast<int>(type));
    };
    each.template operator()<std::uint16_t>(IndexType::kUint16);
    each.template operator()<std::uint32_t>(IndexType::kUint32);
    each.template operator()<std::int32_t>(IndexType::kInt32);
    each.template operator()<std::int64_t>(IndexType::kInt64);
}

// Sum is the type that sums and products have: those of integers are unsigned.
template <class Vector, class T, class Sum>
void add_reduced_updates(Kernels& kernels, ValueType value_type) noexcept {
    UpdateKernel(&slots)[kReductions][kIndexTypes] =
        kernels.put_reduced[static_cast<int>(value_type)];
    for_update_indices([&]<class Index>(int type) {
        slots[static_cast<int>(Reduction::kAdd)][type] =
            put_reduced<Vector, Index, Reduction::kAdd, Sum>;
        slots[static_cast<int>(Reduction::kMul)][type] =
            put_reduced<Vector, Index, Reduction::kMul, Sum>;
        // Of narrow integers most are soon as little or as much as can be: what does not store
        // those again is as quick.
        if constexpr (sizeof(T) >= 4 || kIsHalf<T>) {
            slots[static_cast<int>(Reduction::kMin)][type] =
                put_ordered<Vector, Index, Reduction::kMin, T>;
            slots[static_cast<int>(Reduction::kMax)][type] =
                put_ordered<Vector, Index, Reduction::kMax, T>;
        }
    });
}

template <class Vector>
void add_updates(Kernels& kernels) noexcept {
    const auto put_for = [&]<class Index>(int type) {
        kernels.put[0][type] = put<Vector, Index, 1>;
        kernels.put[1][type] = put<Vector, Index, 2>;
        kernels.put[2][type] = put<Vector, Index, 4>;
        kernels.put[3][type] = put<Vector, Index, 8>;
        kernels.put[4][type] = put<Vector, Index, 16>;
    };
    for_update_indices(put_for);
    // 8 bits tell 256 places apart, and are held of scatters alone.
    put_for.template operator()<std::uint8_t>(static_cast<int>(IndexType::kUint8));
    const auto reduce = [&]<class T, class Sum>(ValueType type) {
        add_reduced_updates<Vector, T, Sum>(kernels, type);
    };
    reduce.template operator()<std::int8_t, std::uint8_t>(ValueType::kInt8);
    reduce.template operator()<std::uint8_t, std::uint8_t>(ValueType::kUint8);
    reduce.template operator()<std::int16_t, std::uint16_t>(ValueType::kInt16);
    reduce.template operator()<std::uint16_t, std::uint16_t>(ValueType::kUint16);
    reduce.template operator()<std::int32_t, std::uint32_t>(ValueType::kInt32);
    reduce.template operator()<std::uint32_t, std::uint32_t>(ValueType::kUint32);
    reduce.template operator()<std::int64_t, std::uint64_t>(ValueType::kInt64);
    reduce.template operator()<std::uint64_t, std::uint64_t>(ValueType::kUint64);
    reduce.template operator()<Float16, Float16>(ValueType::kFloat16);
    reduce.template operator()<float, float>(ValueType::kFloat32);
    reduce.template operator()<double, double>(ValueType::kFloat64);
}

}  // namespace
}  // namespace dmlindex::cpu
