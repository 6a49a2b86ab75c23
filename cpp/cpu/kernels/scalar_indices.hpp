// One index at a time. Everything is static: files that are compiled for an ISA have code of their
// own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/moves.hpp"

namespace dmlindex::cpu {

// An index, read once. Another thread may write to it meanwhile, and of a plain load the compiler
// may make two, one of which is checked and the other one used.
template <class Index>
static inline Index index_at(const std::byte* from) noexcept {
    auto index = element_at<Index>(from);
    asm("" : "+r"(index));
    return index;
}

// A negative index counts from the end. Without a branch, which would be mispredicted half of the
// time.
static inline std::int64_t from_start(std::int64_t index, std::int64_t limit) noexcept {
    return index + (limit & (index >> 63));
}

// The place of an index in [0, limit), or −1 if it has none.
template <class Index, Mode kMode>
static inline std::int64_t place_of(Index index, std::int64_t limit) noexcept {
    if constexpr (std::is_unsigned_v<Index>) {
        const auto value = static_cast<std::uint64_t>(index);
        const auto size = static_cast<std::uint64_t>(limit);
        if constexpr (kMode == Mode::kClamp) {
            return static_cast<std::int64_t>(std::min(value, size - 1));
        } else if constexpr (kMode == Mode::kWrap) {
            return static_cast<std::int64_t>(value < size ? value : value % size);
        } else {
            return value < size ? static_cast<std::int64_t>(value) : -1;
        }
    } else {
        auto value = static_cast<std::int64_t>(index);
        if constexpr (kMode == Mode::kClamp) {
            return from_start(std::clamp(value, -limit, limit - 1), limit);
        } else if constexpr (kMode == Mode::kWrap) {
            if (value < -limit || value >= limit) value %= limit;
            return from_start(value, limit);
        } else {
            value = from_start(value, limit);
            const bool inside =
                static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(limit);
            return inside ? value : -1;
        }
    }
}

// Where a run's position is in the table before any index.
static inline std::int64_t place_before(const IndexRun& run, std::int64_t i) noexcept {
    return run.table_offset + (run.places != nullptr ? run.places[i] : i * run.table_stride);
}

// Asks for what kLookUpStep indices of a run, some behind the i-th, will look up in a table that is
// far: negative ones from the end, else as they are, right or not.
template <class Index>
[[gnu::always_inline]] static inline void fetch_elements(const IndexRun& run,
                                                         const std::byte* table, std::int64_t bytes,
                                                         std::int64_t i) noexcept {
    constexpr std::int64_t kAhead = 64;
    constexpr auto kIndexBytes = static_cast<std::int64_t>(sizeof(Index));
    if (!run.fetches_table || i + kAhead + kLookUpStep > run.count) return;
    const std::byte* const indices = run.indices + (i + kAhead) * kIndexBytes;
    const auto first = reinterpret_cast<std::uintptr_t>(table);
    [[maybe_unused]] const std::int64_t limit = run.coordinates[0].limit;
    for (std::int64_t j = 0; j < kLookUpStep; ++j) {
        auto index = static_cast<std::int64_t>(index_at<Index>(indices + j * kIndexBytes));
        if constexpr (std::is_signed_v<Index>) index = from_start(index, limit);
        const std::uintptr_t element =
            first + static_cast<std::uintptr_t>(index) * static_cast<std::uintptr_t>(bytes);
        __builtin_prefetch(reinterpret_cast<const void*>(element), 0, 2);
        if (bytes <= kElementBytes) continue;  // it hardly ever lies in two lines
        const std::uintptr_t end = element + static_cast<std::uintptr_t>(bytes - 1);
        __builtin_prefetch(reinterpret_cast<const void*>(end), 0, 2);
    }
}

// The LookUpKernel for slices of kBytes, or of any number below 32 if that is 0. Runs too short for
// vectors take it, too.
template <class Index, Mode kMode, std::int64_t kBytes>
static inline std::int64_t look_up_scalar(const IndexRun& run, const std::byte* table,
                                          std::byte* items) noexcept {
    const std::int64_t limit = run.coordinates[0].limit;
    const std::byte* const indices = run.indices;
    const std::int64_t count = run.count;
    const std::int64_t bytes = kBytes != 0 ? kBytes : run.coordinates[0].table_stride;
    const std::int64_t at_once = run.fetches_table ? kLookUpStep : count;
    for (std::int64_t i = 0; i < count;) {
        fetch_elements<Index>(run, table, bytes, i);
        for (const std::int64_t end = std::min(i + at_once, count); i < end; ++i) {
            const auto index =
                index_at<Index>(indices + i * static_cast<std::int64_t>(sizeof(Index)));
            const std::int64_t place = place_of<Index, kMode>(index, limit);
            if (place < 0) return i;
            if constexpr (kBytes != 0) {
                std::memcpy(items + i * kBytes, table + place * kBytes, kBytes);
            } else {
                copy_small(items + i * bytes, table + place * bytes, bytes);
            }
        }
    }
    return count;
}

// The same for elements at places of their own.
template <class Index, Mode kMode, std::int64_t kBytes>
static inline std::int64_t look_up_placed_scalar(const IndexRun& given, const std::byte* table,
                                                 std::byte* items) noexcept {
    const IndexRun run = given;  // a copy that no store can change
    const Coordinate coordinate = run.coordinates[0];
    for (std::int64_t i = 0; i < run.count; ++i) {
        const auto index =
            index_at<Index>(run.indices + i * static_cast<std::int64_t>(sizeof(Index)));
        const std::int64_t place = place_of<Index, kMode>(index, coordinate.limit);
        if (place < 0) return i;
        std::memcpy(items + i * kBytes,
                    table + place_before(run, i) + place * coordinate.table_stride, kBytes);
    }
    return run.count;
}

}  // namespace dmlindex::cpu
