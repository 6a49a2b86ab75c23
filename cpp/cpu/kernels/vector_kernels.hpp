// Kernels for any SIMD instruction set, written once over a small vector type that each ISA's file
// defines.
//
// Vector holds kLanes integers of kLaneBytes, 8, and has: load<Index>(from),
// load_strided<Index>(from, stride), store(to), store_narrow<kBytes>(to) (the low bytes of each
// lane), splat(x), counting(step), +, -, &, |, multiply_low(a, b) (the product of the low 32 bits,
// unsigned), multiply_signed(a, b) (the same with their signs), negative(v) (all bits of a lane set
// where it is negative), any_negative(v), equal(a, b), clamp(v, low, high) and
// select_negative(mask, a, b).
//
// It also copies bytes: copy_wide(to, from) moves kWideBytes, stream_line(to, from) moves a cache
// line past the caches to an aligned place, and fence() orders such lines before what follows.
//
// The vector type lives in an anonymous namespace, so that nothing compiled for an ISA is linked in
// elsewhere.
#pragma once

#include <cstdint>

#include "cpu/kernels/carry.hpp"
#include "cpu/kernels/isas.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/kernels/trials.hpp"
#include "cpu/kernels/vector_elements.hpp"
#include "cpu/kernels/vector_indices.hpp"

namespace dmlindex::cpu {

// Copies slices of kWideBytes or more in wide pieces, the last of which may cover the one before.
template <class Vector>
struct CopyInPieces {
    static constexpr std::int64_t kBytes = 0;
    static void copy(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept {
        constexpr std::int64_t kWide = Vector::kWideBytes;
        for (std::int64_t at = 0; at + kWide <= bytes; at += kWide)
            Vector::copy_wide(to + at, from + at);
        if (bytes % kWide != 0) Vector::copy_wide(to + bytes - kWide, from + bytes - kWide);
    }
};

// Copies slices of many wide pieces, all but the ends of which are written where no store crosses a
// line, as those take longer. Huge ones are left to the C library, which writes them past the
// caches where its machine likes that, and those of pages where it is quicker.
template <class Vector>
struct CopyLong {
    static constexpr std::int64_t kBytes = 0;
    static void copy(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept {
        constexpr std::int64_t kHuge = std::int64_t{1} << 20;
        if (bytes >= kHuge || (bytes >= kPageBytes && library_copies_pages())) {
            std::memcpy(to, from, static_cast<std::size_t>(bytes));
        } else {
            copy_in_lines(to, from, bytes);
        }
    }

    static void copy_in_lines(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept {
        constexpr std::int64_t kWide = Vector::kWideBytes;
        constexpr int kAtOnce = 4;
        const std::byte* const end = from + bytes;
        Vector::copy_wide(to, from);
        Vector::copy_wide(to + bytes - kWide, end - kWide);
        const auto head = kWide - reinterpret_cast<std::uintptr_t>(to) % kWide;
        to += head;
        from += head;
        for (; end - from >= kAtOnce * kWide; to += kAtOnce * kWide, from += kAtOnce * kWide) {
            for (int k = 0; k < kAtOnce; ++k) Vector::copy_wide(to + k * kWide, from + k * kWide);
        }
        for (; end - from >= kWide; to += kWide, from += kWide) Vector::copy_wide(to, from);
    }
};

// Copies slices of fewer than 32 bytes.
struct CopySmall {
    static constexpr std::int64_t kBytes = 0;
    static void copy(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept {
        copy_small(to, from, bytes);
    }
};

// Copies slices of kPiece to 2·kPiece bytes, in two pieces that may overlap.
template <class Vector, std::int64_t kPiece>
struct CopyTwoPieces {
    static constexpr std::int64_t kBytes = 0;
    static void copy(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept {
        const std::int64_t last = bytes - kPiece;
        std::memcpy(to, from, kPiece);
        std::memcpy(to + last, from + last, kPiece);
    }
};

// Copies single elements. With the ISA's Vector it is the ISA's own: what is skipped is found by
// its vectors.
template <class Vector, std::int64_t kElement>
struct CopyElement {
    static constexpr std::int64_t kBytes = kElement;
    static void copy(std::byte* to, const std::byte* from, std::int64_t) noexcept {
        std::memcpy(to, from, kElement);
    }
};

// Calls move with the copier for slices of so many bytes. Of short ones, to ask each time would
// take as long as to copy.
template <class Vector, class Move>
void with_row_copier(std::int64_t bytes, Move move) noexcept {
    if (bytes >= kLeastSpanBytes) {
        move.template operator()<CopyLong<Vector>>();
    } else if (bytes >= Vector::kWideBytes) {
        move.template operator()<CopyInPieces<Vector>>();
    } else if (bytes >= 16) {
        move.template operator()<CopyTwoPieces<Vector, 16>>();
    } else if (bytes >= 8) {
        move.template operator()<CopyTwoPieces<Vector, 8>>();
    } else if (bytes >= 4) {
        move.template operator()<CopyTwoPieces<Vector, 4>>();
    } else {
        move.template operator()<CopySmall>();
    }
}

template <class Vector>
void gather_rows(const Block& block) noexcept {
    with_row_copier<Vector>(block.slice_bytes, [&]<class Copier>() { gather<Copier>(block); });
}

template <class Vector>
void gather_rows_or_fill(const Block& block) noexcept {
    with_row_copier<Vector>(block.slice_bytes,
                            [&]<class Copier>() { gather_or_fill<Copier>(block); });
}

template <class Vector>
void scatter_rows(const Block& block) noexcept {
    with_row_copier<Vector>(block.slice_bytes, [&]<class Copier>() { scatter<Copier>(block); });
}

template <class Vector>
void scatter_rows_or_drop(const Block& block) noexcept {
    with_row_copier<Vector>(block.slice_bytes,
                            [&]<class Copier>() { scatter_or_drop<Copier>(block); });
}

template <class Vector>
void copy_rows(std::byte* to, std::int64_t to_stride, const std::byte* from,
               std::int64_t from_stride, std::int64_t count, std::int64_t piece_bytes) noexcept {
    with_row_copier<Vector>(piece_bytes, [&]<class Copier>() {
        for (std::int64_t i = 0; i < count; ++i) {
            Copier::copy(to + i * to_stride, from + i * from_stride, piece_bytes);
        }
    });
}

// The StreamKernel.
template <class Vector>
void gather_streamed(const Block& given, Carry& carry) noexcept {
    const Block block = given;
    each_position<false, true>(block, [&](std::int64_t i) {
        carry.append(block.items + i * block.item_stride, block.table + block.offsets[i],
                     block.slice_bytes, Vector::stream_line);
    });
}

template <class Vector>
void add_look_ups(Kernels& kernels) noexcept {
    kernels.gather_strip[0] = gather_strip<Vector, 1>;
    kernels.gather_strip[1] = gather_strip<Vector, 2>;
    kernels.gather_strip[2] = gather_strip<Vector, 4>;
    kernels.gather_strip[3] = gather_strip<Vector, 8>;
    kernels.gather_strip[4] = gather_strip<Vector, 16>;
    for_each_index_type_and_mode([&]<class Index, Mode kMode>(int type, int mode) {
        constexpr Mode kPlaced = look_up_mode(kMode);
        LookUpKernel(&slots)[kSliceClasses] = kernels.look_up[type][mode];
        slots[0] = look_up<Vector, Index, kPlaced, 1>;
        slots[1] = look_up<Vector, Index, kPlaced, 2>;
        slots[2] = look_up<Vector, Index, kPlaced, 4>;
        slots[3] = look_up<Vector, Index, kPlaced, 8>;
        slots[4] = look_up<Vector, Index, kPlaced, 16>;
        for (int c = kElementClasses; c < kSliceClasses; ++c) {
            if (kClassBytes[c] <= kMostWidenedBytes)
                slots[c] = look_up_widened<Vector, Index, kPlaced>;
        }
        if constexpr (sizeof(Index) >= 4) {
            slots[8] = look_up<Vector, Index, kPlaced, 24>;
            slots[9] = look_up<Vector, Index, kPlaced, 32>;
            slots[10] = look_up<Vector, Index, kPlaced, 64>;
        }
        LookUpKernel(&placed)[kSliceClasses] = kernels.look_up_placed[type][mode];
        placed[0] = look_up_placed<Vector, Index, kPlaced, 1>;
        placed[1] = look_up_placed<Vector, Index, kPlaced, 2>;
        placed[2] = look_up_placed<Vector, Index, kPlaced, 4>;
        placed[3] = look_up_placed<Vector, Index, kPlaced, 8>;
        placed[4] = look_up_placed<Vector, Index, kPlaced, 16>;
        if constexpr (sizeof(Index) >= 4) {
            LineLookUpKernel(&on_line)[kSliceClasses] = kernels.line_look_up[type];
            on_line[0] = look_up_on_line<Vector, Index, 1>;
            on_line[1] = look_up_on_line<Vector, Index, 2>;
            on_line[2] = look_up_on_line<Vector, Index, 4>;
            on_line[3] = look_up_on_line<Vector, Index, 8>;
        }
    });
}

// Elements some at a time, rows in wide pieces.
template <class Vector>
void add_moves(Kernels& kernels) noexcept {
    kernels.gather[0] = gather_packed<Vector, 1>;
    kernels.gather[1] = gather_packed<Vector, 2>;
    kernels.gather_or_fill[0] = gather_or_fill<CopyElement<Vector, 1>, gather_packed<Vector, 1>>;
    kernels.gather_or_fill[1] = gather_or_fill<CopyElement<Vector, 2>, gather_packed<Vector, 2>>;
    kernels.gather_or_fill[2] = gather_or_fill<CopyElement<Vector, 4>>;
    kernels.gather_or_fill[3] = gather_or_fill<CopyElement<Vector, 8>>;
    kernels.gather_or_fill[4] = gather_or_fill<CopyElement<Vector, 16>>;
    kernels.scatter_or_drop[0] = scatter_or_drop<CopyElement<Vector, 1>>;
    kernels.scatter_or_drop[1] = scatter_or_drop<CopyElement<Vector, 2>>;
    kernels.scatter_or_drop[2] = scatter_or_drop<CopyElement<Vector, 4>>;
    kernels.scatter_or_drop[3] = scatter_or_drop<CopyElement<Vector, 8>>;
    kernels.scatter_or_drop[4] = scatter_or_drop<CopyElement<Vector, 16>>;
    constexpr int kAnySize = kSliceClasses - 1;
    kernels.gather[kAnySize] = gather_rows<Vector>;
    kernels.gather_or_fill[kAnySize] = gather_rows_or_fill<Vector>;
    kernels.scatter[kAnySize] = scatter_rows<Vector>;
    kernels.copy[kAnySize] = copy_rows<Vector>;
    kernels.copy_in_lines = CopyLong<Vector>::copy_in_lines;
    kernels.scatter_or_drop[kAnySize] = scatter_rows_or_drop<Vector>;
}

// All but the look-ups and the moves.
template <class Vector>
void add_vector_kernels(Kernels& kernels) noexcept {
    for_each_index_type_and_mode([&]<class Index, Mode kMode>(int type, int mode) {
        kernels.resolve[type][mode] = resolve_vector<Vector, Index, kMode>;
        if constexpr (sizeof(Index) >= 4) kernels.address[type] = address_vector<Vector, Index>;
        kernels.hold[type][0] = hold<Vector, Index, 1>;
        kernels.hold[type][1] = hold<Vector, Index, 2>;
        kernels.hold[type][2] = hold<Vector, Index, 4>;
        kernels.hold[type][3] = hold<Vector, Index, 8>;
    });
    kernels.stream = gather_streamed<Vector>;
    kernels.fence = Vector::fence;
    kernels.unpack[0] = unpack_vector<Vector, std::uint8_t>;
    kernels.unpack[1] = unpack_vector<Vector, std::uint16_t>;
    kernels.unpack[2] = unpack_vector<Vector, std::uint32_t>;
    kernels.pack[0] = pack_vector<Vector, std::uint8_t>;
    kernels.pack[1] = pack_vector<Vector, std::uint16_t>;
    kernels.pack[2] = pack_vector<Vector, std::uint32_t>;
    kernels.pack[3] = pack_vector<Vector, std::uint64_t>;
}

}  // namespace dmlindex::cpu
