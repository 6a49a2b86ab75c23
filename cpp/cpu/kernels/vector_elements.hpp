// Gathers of single elements over the vector type of vector_kernels.hpp: looked up by their
// indices, moved by their offsets, taken out of strips.
#pragma once

#include <algorithm>
#include <cstring>

#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/kernels/scalar_indices.hpp"
#include "cpu/kernels/vector_indices.hpp"
#include "cpu/kernels/vector_steps.hpp"

namespace dmlindex::cpu {

// The LineLookUpKernel, as the LookUpKernel below.
template <class Vector, class Index, std::int64_t kBytes>
std::int64_t look_up_on_line(const IndexRun& given, std::int64_t last_place, const std::byte* line,
                             std::byte* items) noexcept {
    const IndexRun run = given;
    const Vector limit = Vector::splat(run.coordinates[0].limit);
    const Vector base = Vector::splat(run.table_offset);
    const Vector low = Vector::splat(0xffffffff);
    const Vector last = Vector::splat(last_place);
    const std::byte* const first = line + run.table_offset * kBytes;
    std::int64_t i = 0;
    for (; i + kLookUpStep <= run.count; i += kLookUpStep) {
        alignas(64) std::int64_t places[kLookUpStep];
        for (std::int64_t j = 0; j < kLookUpStep; j += Vector::kLanes) {
            const Vector index = indices_at<Vector, Index>(
                run.indices + (i + j) * static_cast<std::int64_t>(sizeof(Index)));
            const Vector at = (index + (negative(index) & limit) + base) & low;
            select_negative(last - at, last, at).store(places + j);
        }
        fetch_elements<Index>(run, first, kBytes, i);
        for (std::int64_t j = 0; j < kLookUpStep; ++j) {
            std::memcpy(items + (i + j) * kBytes, line + places[j] * kBytes, kBytes);
        }
    }
    return i;
}

// Asks for the items that a look-up writes some way on: longer ones into L1, as stores leave in
// order, of short ones the hardware foresees enough.
template <std::int64_t kWide>
[[gnu::always_inline]] static inline void fetch_written(const std::byte* items, std::int64_t bytes,
                                                        std::int64_t ahead) noexcept {
    if constexpr (kWide >= 16) {
        fetch_ahead<kIntoL1>(items, kLookUpStep * bytes, kWrittenAheadBytes);
    } else if constexpr (kWide >= 4) {
        fetch_ahead(items, kLookUpStep * bytes, ahead);
    }
}

// Bytes as indices into a table that has a place for each of them, eight in a word.
template <Mode kMode, std::int64_t kBytes>
[[gnu::noinline]] std::int64_t look_up_bytes(const IndexRun& run, const std::byte* table,
                                             std::byte* items) noexcept {
    constexpr std::int64_t kAtOnce = 8;
    const std::byte* const indices = run.indices;
    const std::int64_t count = run.count;
    std::int64_t i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) {
        auto word = index_at<std::uint64_t>(indices + i);
        std::byte* const to = items + i * kBytes;
#pragma GCC unroll 8
        for (std::int64_t j = 0; j < kAtOnce; ++j, word >>= 8) {
            std::memcpy(to + j * kBytes, table + static_cast<std::uint8_t>(word) * kBytes, kBytes);
        }
    }
    return i +
           look_up_scalar<std::uint8_t, kMode, kBytes>(behind(run, i), table, items + i * kBytes);
}

// The LookUpKernel: 16 indices at a time are placed in vectors, then each is one load.
template <class Vector, class Index, Mode kMode, std::int64_t kBytes>
std::int64_t look_up(const IndexRun& given, const std::byte* table, std::byte* items) noexcept {
    const IndexRun run = given;  // its fields need not be read again after each store
    if (run.count < kLookUpStep) return look_up_scalar<Index, kMode, kBytes>(run, table, items);
    if constexpr (std::is_same_v<Index, std::uint8_t>) {
        if (run.coordinates[0].limit > 0xff)
            return look_up_bytes<kMode, kBytes>(given, table, items);
    }
    const Vector limit = Vector::splat(run.coordinates[0].limit);
    const Vector last = Vector::splat(run.coordinates[0].limit - 1);
    const std::int64_t ahead = ahead_bytes(run);
    AsTheyAre<Vector, Index> as_they_are(run.coordinates[0].limit - 1);
    return each_step(run.count, [&](std::int64_t i) {
        fetch_written<kBytes>(items + i * kBytes, kBytes, ahead);
        fetch_elements<Index>(run, table, kBytes, i);
        const std::byte* const indices = run.indices + i * static_cast<std::int64_t>(sizeof(Index));
        const auto move = [&](std::int64_t j, std::int64_t place) {
            std::memcpy(items + (i + j) * kBytes, table + place * kBytes, kBytes);
        };
        if (as_they_are.each(indices, ahead, move)) return true;
        alignas(64) std::int64_t places[kLookUpStep];
        const auto keep = [&](std::int64_t j, Vector at) { at.store(places + j); };
        if (!place_step<Vector, Index, kMode>(run.indices, i, ahead, limit, last, keep))
            return false;
        each_place(places, move);
        return true;
    });
}

// The same from positions with places of their own.
template <class Vector, class Index, Mode kMode, std::int64_t kBytes>
std::int64_t look_up_placed(const IndexRun& run, const std::byte* table,
                            std::byte* items) noexcept {
    if (!fits_32_bits_signed(run.coordinates[0])) return 0;
    const std::byte* const indices = run.indices;
    const std::int64_t count = run.count;
    const Vector limit = Vector::splat(run.coordinates[0].limit);
    const Vector last = Vector::splat(run.coordinates[0].limit - 1);
    const Vector stride = Vector::splat(run.coordinates[0].table_stride);
    const std::int64_t ahead = ahead_bytes(run);
    PlacesBefore<Vector> before(run);
    std::int64_t i = 0;
    for (; i + kLookUpStep <= count; i += kLookUpStep) {
        fetch_written<kBytes>(items + i * kBytes, kBytes, ahead);
        alignas(64) std::int64_t offsets[kLookUpStep];
        const auto keep = [&](std::int64_t j, Vector at) {
            (before.at(i + j) + multiply_signed(at, stride)).store(offsets + j);
        };
        if (!place_step<Vector, Index, kMode>(indices, i, ahead, limit, last, keep)) return i;
        for (std::int64_t j = 0; j < kLookUpStep; ++j) {
            std::memcpy(items + (i + j) * kBytes, table + offsets[j], kBytes);
        }
    }
    return i +
           look_up_placed_scalar<Index, kMode, kBytes>(behind(run, i), table, items + i * kBytes);
}

// Slices are copied as kWide bytes, one load and one store: what is too much, the next slice
// covers. At the end of the items, and of the table, they are copied as they are.
template <class Vector, class Index, Mode kMode, std::int64_t kWide>
std::int64_t look_up_as(const IndexRun& run, const std::byte* table, std::byte* items) noexcept {
    const std::int64_t bytes = run.coordinates[0].table_stride;
    const std::int64_t last_place = run.coordinates[0].limit - 1;
    const std::int64_t count = run.count;
    const std::byte* const indices = run.indices;
    const Vector limit = Vector::splat(last_place + 1);
    const Vector last = Vector::splat(last_place);
    const Vector width = Vector::splat(bytes);
    // Behind the last of these, kWide bytes would reach past the table.
    const Vector last_wide = Vector::splat(last_place - (kWide - 1) / bytes);
    const std::int64_t ahead = ahead_bytes(run);
    return each_step(count, [&](std::int64_t i) {
        fetch_written<kWide>(items + i * bytes, bytes, ahead);
        alignas(64) std::int64_t offsets[kLookUpStep];
        Vector any_at_end = Vector::splat(0);
        const auto keep = [&](std::int64_t j, Vector at) {
            multiply_low(at, width).store(offsets + j);
            any_at_end = any_at_end | (last_wide - at);
        };
        if (!place_step<Vector, Index, kMode>(indices, i, ahead, limit, last, keep)) return false;
        fetch_elements<Index>(run, table, bytes, i);
        if (any_negative(any_at_end) || i + 2 * kLookUpStep > count) {
#pragma GCC unroll 1
            for (std::int64_t j = 0; j < kLookUpStep; ++j) {
                copy_small(items + (i + j) * bytes, table + offsets[j], bytes);
            }
        } else {
            std::byte* to = items + i * bytes;
#pragma GCC unroll 16
            for (std::int64_t j = 0; j < kLookUpStep; ++j, to += bytes) {
                std::memcpy(to, table + offsets[j], kWide);
            }
        }
        return true;
    });
}

// The LookUpKernel for slices of other numbers of bytes than elements have.
template <class Vector, class Index, Mode kMode>
std::int64_t look_up_widened(const IndexRun& run, const std::byte* table,
                             std::byte* items) noexcept {
    constexpr std::int64_t kMostPlaces = std::int64_t{1} << 30;  // multiply_low takes 32 bits
    const std::int64_t bytes = run.coordinates[0].table_stride;
    if (run.count < kLookUpStep) return look_up_scalar<Index, kMode, 0>(run, table, items);
    if (run.coordinates[0].limit > kMostPlaces) return 0;
    if (bytes > 8) return look_up_as<Vector, Index, kMode, 16>(run, table, items);
    if (bytes > 4) return look_up_as<Vector, Index, kMode, 8>(run, table, items);
    return look_up_as<Vector, Index, kMode, 4>(run, table, items);
}

// Packed elements, 16 bytes of them at a time, where no skipped ones are among them.
template <class Vector, std::int64_t kBytes>
void gather_packed(const Block& given) noexcept {
    constexpr std::int64_t kAtOnce = 16 / kBytes;
    const Block block = given;
    const auto place = [&](std::int64_t i) { return block.table + block.offsets[i]; };
    std::int64_t i = 0;
    if (block.item_stride == kBytes) {
        const auto gather_some = [&] {
            gather_16_bytes<kBytes>(block.items + i * kBytes,
                                    [&](std::int64_t j) { return place(i + j); });
        };
        if (block.far && !is_foreseen(block)) {
            const std::int64_t distance = fetch_distance(kBytes);
            for (std::int64_t j = 0; j < std::min(distance, block.count); ++j) fetch(block, j);
            for (; i < block.count - distance - kAtOnce; i += kAtOnce) {
                for (std::int64_t j = 0; j < kAtOnce; ++j) fetch(block, i + distance + j);
                gather_some();
            }
        }
        for (; i + kAtOnce <= block.count; i += kAtOnce) gather_some();
    }
    for (; i < block.count; ++i) std::memcpy(block.items + i * block.item_stride, place(i), kBytes);
}

// The StripKernel.
template <class Vector, std::int64_t kBytes>
void gather_strip(const std::uint16_t* rows, std::int64_t count, std::int64_t width,
                  const std::byte* table, std::byte* items) noexcept {
    const Vector row_elements = Vector::splat(width);
    const Vector counting = Vector::counting(1);
    std::int64_t column = 0;
    for (std::int64_t i = 0; i < count; i += kLookUpStep) {
        alignas(64) std::int64_t places[kLookUpStep];
        for (std::int64_t j = 0; j < kLookUpStep; j += Vector::kLanes) {
            const Vector row = Vector::template load<std::uint16_t>(
                reinterpret_cast<const std::byte*>(rows + i + j));
            (multiply_low(row, row_elements) + (counting + Vector::splat(column + j)))
                .store(places + j);
        }
        column = column + kLookUpStep == width ? 0 : column + kLookUpStep;
        for (std::int64_t j = 0; j < kLookUpStep; ++j) {
            std::memcpy(items + (i + j) * kBytes, table + places[j] * kBytes, kBytes);
        }
    }
}

}  // namespace dmlindex::cpu
