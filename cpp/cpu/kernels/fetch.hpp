// Asks for memory before it is read or written.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

// How many positions ahead: memory answers late, and keeps more misses in flight than a few
// positions make.
static inline std::int64_t fetch_distance(std::int64_t slice_bytes) noexcept {
    constexpr std::int64_t kAheadBytes = 8192;
    return std::clamp<std::int64_t>(kAheadBytes / slice_bytes, 8, 128);
}

// Asks for a span of the table that is read soon, in no order that the hardware would foresee: into
// L2, or further.
inline constexpr int kIntoL1 = 3;
template <int kLocality = 2>
[[gnu::always_inline]] static inline void fetch_span(const std::byte* from,
                                                     std::int64_t bytes) noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(from);
    for (std::int64_t at = 0; at < bytes; at += kCacheLineBytes) {
        __builtin_prefetch(reinterpret_cast<const void*>(first + static_cast<std::uintptr_t>(at)),
                           0, kLocality);
    }
}

// Asks for both ends of a position's slice, or the beginning of one longer than two lines, which
// the hardware foresees from there, or all of it if the block wants that and the kernel can: into
// L2, as in L1 the few buffers for its misses would fill up. Always inlined: GCC takes a function
// that only prefetches for one without effect, and drops its calls.
template <bool kCanAllLines = false>
[[gnu::always_inline]] static inline void fetch(const Block& block,
                                                std::int64_t position) noexcept {
    const bool is_long = block.slice_bytes > 2 * kCacheLineBytes;
    const std::int64_t bytes = is_long ? kCacheLineBytes : block.slice_bytes;
    // As a number: the offset of a skipped position leads nowhere, which a prefetch does not mind.
    const auto first = reinterpret_cast<std::uintptr_t>(block.table) +
                       static_cast<std::uintptr_t>(block.offsets[position]);
    if (kCanAllLines && is_long && block.all_lines) {
        const std::uintptr_t before = first % kCacheLineBytes;  // of its first line
        fetch_span(reinterpret_cast<const std::byte*>(first - before),
                   block.slice_bytes + static_cast<std::int64_t>(before));
        return;
    }
    // An element hardly ever lies in two lines.
    if (bytes > kElementBytes) __builtin_prefetch(reinterpret_cast<const void*>(first), 0, 2);
    const auto last = first + static_cast<std::uintptr_t>(bytes - 1);
    __builtin_prefetch(reinterpret_cast<const void*>(last), 0, 2);
}

// How far ahead a run's indices and items are asked for. Of short rows the table comes from memory
// row after row, too: a Zen 4 reads all three more slowly where it is 2 KB or more.
static inline std::int64_t ahead_bytes(const IndexRun& run) noexcept {
    return run.count < IndexRun::kLongRow && !run.in_long_row ? 1536 : 4096;
}

// Asks for as many bytes of indices or items as are taken now, from some way on, into L2: the
// hardware stops to foresee where a page ends. Always inlined, as fetch is.
template <int kLocality = 2>
[[gnu::always_inline]] static inline void fetch_ahead(const std::byte* now, std::int64_t bytes,
                                                      std::int64_t ahead) noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(now) + static_cast<std::uintptr_t>(ahead);
    for (std::uintptr_t line = first; line < first + static_cast<std::uintptr_t>(bytes);
         line += kCacheLineBytes) {
        __builtin_prefetch(reinterpret_cast<const void*>(line), 0, kLocality);
    }
}

// How far ahead of what is written its lines are asked for, into L1: stores leave in order, and one
// whose line is not there keeps those behind it.
inline constexpr std::int64_t kWrittenAheadBytes = 1024;

// Asks for the item that lies some way behind a position's, into L2: while the table's misses keep
// the processor, the hardware foresees too little of a stream.
[[gnu::always_inline]] static inline void fetch_item(const Block& block,
                                                     std::int64_t position) noexcept {
    constexpr std::uintptr_t kAheadBytes = 8192;
    const auto item = reinterpret_cast<std::uintptr_t>(block.items) +
                      static_cast<std::uintptr_t>(position * block.item_stride);
    __builtin_prefetch(reinterpret_cast<const void*>(item + kAheadBytes), 0, 2);
}

// Whether a block of elements goes through the table in order, line by line, by some looks, but for
// a few leaps, as from row to row: the hardware foresees that.
static inline bool is_foreseen(const Block& block) noexcept {
    constexpr std::int64_t kLooks = 16;
    constexpr int kFewLeaps = 3;
    if (block.slice_bytes > kElementBytes || block.count < 2 * kLooks) return false;
    const std::int64_t apart = block.count / kLooks;
    const auto most = static_cast<std::uint64_t>(apart * kCacheLineBytes);
    int leaps = 0;
    for (std::int64_t k = 1; k < kLooks; ++k) {
        const auto step = static_cast<std::uint64_t>(block.offsets[k * apart]) -
                          static_cast<std::uint64_t>(block.offsets[(k - 1) * apart]);
        leaps += step > most ? 1 : 0;
    }
    return leaps <= kFewLeaps;
}

// Calls visit(i) for every position, with the slices of some positions ahead on their way if the
// table is far, and the items of some more if asked to.
template <bool kFetchesItems = false, bool kCanAllLines = false, class Visit>
[[gnu::always_inline]] inline void each_position(const Block& block, Visit visit) noexcept {
    std::int64_t i = 0;
    if (block.far && !is_foreseen(block)) {
        const std::int64_t distance = fetch_distance(block.slice_bytes);
        for (std::int64_t j = 0; j < std::min(distance, block.count); ++j)
            fetch<kCanAllLines>(block, j);
        for (; i < block.count - distance; ++i) {
            fetch<kCanAllLines>(block, i + distance);
            if constexpr (kFetchesItems) fetch_item(block, i);
            visit(i);
        }
    }
#pragma GCC unroll 4
    for (; i < block.count; ++i) visit(i);
}

}  // namespace dmlindex::cpu
