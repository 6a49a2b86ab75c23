// The two moves, gather and scatter, for any way of copying a slice.
//
// A Copier has copy(to, from, bytes) and kBytes, which is 0 if it copies any number of them. It is
// a type of its file's anonymous namespace, so that what is compiled for an ISA is not linked in
// elsewhere.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/fetch.hpp"
#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

// An index or a number, at any alignment.
template <class T>
static inline T element_at(const std::byte* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// What is left of a run behind its first positions.
static inline IndexRun behind(IndexRun run, std::int64_t first) noexcept {
    run.indices += first * run.index_stride;
    run.count -= first;
    if (run.places != nullptr) {
        run.places += first;
    } else {
        run.table_offset += first * run.table_stride;
    }
    return run;
}

// Writes count bytes of copies of an element, or of zeros if that is null.
static inline void fill_bytes(std::byte* to, const std::byte* element, std::int64_t element_bytes,
                              std::int64_t count) noexcept {
    if (element == nullptr) {
        std::memset(to, 0, static_cast<std::size_t>(count));
        return;
    }
    constexpr std::int64_t kOneByOne = 32;
    const std::int64_t first = std::min(count, (kOneByOne / element_bytes + 1) * element_bytes);
    for (std::int64_t at = 0; at < first; at += element_bytes) {
        std::memcpy(to + at, element, static_cast<std::size_t>(element_bytes));
    }
    for (std::int64_t done = first; done < count; done *= 2) {
        std::memcpy(to + done, to, static_cast<std::size_t>(std::min(done, count - done)));
    }
}

static inline void fill_slice(std::byte* to, const Block& block) noexcept {
    fill_bytes(to, block.fill, block.element_bytes, block.slice_bytes);
}

// Elements of kBytes that lie at from(0), from(1), and so on, 16 bytes of them, put together in a
// register: to store each takes longer. Larger elements, and look-ups,
// gain nothing by it.
template <std::int64_t kBytes, class From>
[[gnu::always_inline]] inline void gather_16_bytes(std::byte* to, From from) noexcept {
    using Element = std::conditional_t<kBytes == 1, std::uint8_t, std::uint16_t>;
    static_assert(sizeof(Element) == kBytes);
    using Pack [[gnu::vector_size(16)]] = Element;
    Pack pack;
#pragma GCC unroll 16
    for (int i = 0; i < 16 / kBytes; ++i) {
        Element element;
        std::memcpy(&element, from(i), kBytes);
        pack[i] = element;
    }
    std::memcpy(to, &pack, sizeof pack);
}

// Copies fewer than 32 bytes, in two pieces that may overlap.
[[gnu::always_inline]] static inline void copy_small(std::byte* to, const std::byte* from,
                                                     std::int64_t bytes) noexcept {
    const auto two = [&]<std::size_t kPiece>() {
        const std::int64_t last = bytes - static_cast<std::int64_t>(kPiece);
        std::memcpy(to, from, kPiece);
        std::memcpy(to + last, from + last, kPiece);
    };
    if (bytes >= 16) {
        two.template operator()<16>();
    } else if (bytes >= 8) {
        two.template operator()<8>();
    } else if (bytes >= 4) {
        two.template operator()<4>();
    } else if (bytes >= 2) {
        two.template operator()<2>();
    } else if (bytes == 1) {
        *to = *from;
    }
}

// A copy of the block, which no store through a pointer can change, with the size that the copier
// knows.
template <class Copier>
Block sized(Block block) noexcept {
    if constexpr (Copier::kBytes != 0) block.slice_bytes = Copier::kBytes;
    return block;
}

// Calls write(i) for every position, with the items that some positions further write on their way
// if the block asks for them, and they are rows in which the hardware foresees too little.
template <class Copier, class Write>
[[gnu::always_inline]] inline void each_item(const Block& block, Write write) noexcept {
    constexpr std::int64_t kShortRow = kCacheLineBytes / 2;  // would ask for each line three times
    constexpr std::int64_t kLongRow = 2048;
    if constexpr (Copier::kBytes == 0) {
        if (block.asks_for_items && block.item_stride == block.slice_bytes &&
            block.slice_bytes > kShortRow && block.slice_bytes <= kLongRow) {
            each_position(block, [&](std::int64_t i) {
                fetch_ahead<kIntoL1>(block.items + i * block.item_stride, block.slice_bytes,
                                     kWrittenAheadBytes);
                write(i);
            });
            return;
        }
    }
    each_position(block, write);
}

template <class Copier>
void gather(const Block& given) noexcept {
    const Block block = sized<Copier>(given);
    each_item<Copier>(block, [&block](std::int64_t i) {
        Copier::copy(block.items + i * block.item_stride, block.table + block.offsets[i],
                     block.slice_bytes);
    });
}

template <class Copier>
void scatter(const Block& given) noexcept {
    const Block block = sized<Copier>(given);
    each_position(block, [&block](std::int64_t i) {
        Copier::copy(block.table + block.offsets[i], block.items + i * block.item_stride,
                     block.slice_bytes);
    });
}

// Calls move with pieces of a block in which what is skipped leads elsewhere instead: a branch on
// it is mispredicted wherever some are.
static inline void move_skipped_elsewhere(const Block& block, std::byte* elsewhere,
                                          MoveKernel move) noexcept {
    constexpr std::int64_t kAtOnce = 1024;
    // The compiler may not take elsewhere for out of the table's reach.
    asm volatile("" : : "r"(elsewhere) : "memory");
    const auto away = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(elsewhere) -
                                                reinterpret_cast<std::uintptr_t>(block.table));
    std::int64_t offsets[kAtOnce];
    Block piece = block;
    piece.offsets = offsets;
    for (std::int64_t first = 0; first < block.count; first += kAtOnce) {
        piece.count = std::min(block.count - first, kAtOnce);
        piece.items = block.items + first * block.item_stride;
        const std::int64_t* const from = block.offsets + first;
        for (std::int64_t i = 0; i < piece.count; ++i) {
            // The compiler would make a branch of a comparison; no other offset is as low.
            const std::int64_t skipped = (from[i] - kSkipped / 2) >> 63;
            offsets[i] = from[i] ^ ((from[i] ^ away) & skipped);
        }
        move(piece);
    }
}

// Short slices that are skipped come from one that is filled, or go to one that nobody reads. Their
// offsets lead there, which takes a table to count from.
inline constexpr std::int64_t kShortSliceBytes = kCacheLineBytes;

template <class Copier, MoveKernel kGather = gather<Copier>>
void gather_or_fill(const Block& given) noexcept {
    const Block block = sized<Copier>(given);
    if (block.slice_bytes <= kShortSliceBytes && block.table != nullptr) {
        std::byte filled[kShortSliceBytes];
        fill_slice(filled, block);
        move_skipped_elsewhere(block, filled, kGather);
        return;
    }
    each_item<Copier>(block, [&block](std::int64_t i) {
        std::byte* item = block.items + i * block.item_stride;
        if (block.offsets[i] == kSkipped) {
            fill_slice(item, block);
        } else {
            Copier::copy(item, block.table + block.offsets[i], block.slice_bytes);
        }
    });
}

template <class Copier>
void scatter_or_drop(const Block& given) noexcept {
    const Block block = sized<Copier>(given);
    if (block.slice_bytes <= kShortSliceBytes && block.table != nullptr) {
        std::byte dropped[kShortSliceBytes];
        move_skipped_elsewhere(block, dropped, scatter<Copier>);
        return;
    }
    each_position(block, [&block](std::int64_t i) {
        if (block.offsets[i] == kSkipped) return;
        Copier::copy(block.table + block.offsets[i], block.items + i * block.item_stride,
                     block.slice_bytes);
    });
}

}  // namespace dmlindex::cpu
