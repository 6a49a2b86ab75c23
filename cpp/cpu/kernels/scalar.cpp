// Every kernel as a plain loop: what the others are measured against, and what runs where they
// don't.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "cpu/kernels/isas.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/kernels/scalar_indices.hpp"

namespace dmlindex::cpu {
template <class Index, Mode kMode>
bool resolve_scalar(const IndexRun& given, std::int64_t* offsets) noexcept {
    const IndexRun run = given;  // a copy that no store can change
    std::int64_t outside = 0;    // negative once a place was
    for (int k = 0; k < run.coordinate_count; ++k) {
        const Coordinate coordinate = run.coordinates[k];
        const std::byte* indices = run.indices + coordinate.index_offset;
        for (std::int64_t i = 0; i < run.count; ++i) {
            const Index index = index_at<Index>(indices + i * run.index_stride);
            const std::int64_t at = place_of<Index, kMode>(index, coordinate.limit);
            const std::int64_t before = k == 0 ? place_before(run, i) : offsets[i];
            if constexpr (kMode == Mode::kSkip) {
                offsets[i] =
                    at < 0 || before == kSkipped ? kSkipped : before + at * coordinate.table_stride;
            } else {
                outside |= at;
                offsets[i] = before + at * coordinate.table_stride;
            }
        }
    }
    return kMode == Mode::kSkip || outside >= 0;
}

template <class Index>
bool address_scalar(const IndexRun& given, const LineSpan& given_span,
                    std::int64_t* offsets) noexcept {
    const IndexRun run = given;  // copies that no store can change
    const LineSpan span = given_span;
    bool parted = false;
    for (std::int64_t i = 0; i < run.count; ++i) {
        auto sum = static_cast<std::uint64_t>(run.table_offset + i * run.table_stride);
        for (int k = 0; k < run.coordinate_count; ++k) {
            const Coordinate& coordinate = run.coordinates[k];
            const auto index =
                index_at<Index>(run.indices + i * run.index_stride + coordinate.index_offset);
            const std::int64_t if_negative = static_cast<std::int64_t>(index) >> 63;
            const auto place = static_cast<std::uint32_t>(index) +
                               static_cast<std::uint32_t>(coordinate.limit & if_negative);
            sum += std::uint64_t{place} * static_cast<std::uint64_t>(coordinate.table_stride);
        }
        const std::int64_t offset =
            static_cast<std::int64_t>(sum & static_cast<std::uint64_t>(span.wrap - 1));
        const bool whole = offset <= span.whole;
        parted |= !whole && (offset < span.end || offset > span.last);
        offsets[i] = whole ? offset : span.behind;
    }
    return !parted;
}

template <class Packed>
bool unpack_scalar(const IndexRun& given, std::int64_t* offsets) noexcept {
    const IndexRun run = given;  // a copy that no store can change
    const std::int64_t unit = run.coordinates[0].table_stride;
    for (std::int64_t i = 0; i < run.count; ++i) {
        const auto value =
            static_cast<std::int64_t>(element_at<Packed>(run.indices + i * run.index_stride));
        offsets[i] = place_before(run, i) + value * unit;
    }
    return true;
}

namespace {

// What is read and written is told apart, for the compiler to take several at a time.
template <class Packed>
void pack(const std::int64_t* __restrict offsets, std::int64_t count, std::int64_t lowest,
          std::byte* __restrict packed) noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
        const auto value = static_cast<Packed>(offsets[i] - lowest);
        std::memcpy(packed + i * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
    }
}

// How a slice is copied: with a size known here, so that memcpy becomes a load and a store or a
// few, or any size.
template <std::int64_t kFixedBytes>
struct CopySlice {
    static constexpr std::int64_t kBytes = kFixedBytes;
    static void copy(std::byte* to, const std::byte* from, std::int64_t slice_bytes) noexcept {
        if (kBytes != 0) {
            std::memcpy(to, from, kBytes);
        } else if (slice_bytes < 32) {
            copy_small(to, from, slice_bytes);
        } else {
            std::memcpy(to, from, static_cast<std::size_t>(slice_bytes));
        }
    }
};

template <std::int64_t kBytes>
void copy(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
          std::int64_t count, std::int64_t piece_bytes) noexcept {
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < count; ++i) {
        CopySlice<kBytes>::copy(to + i * to_stride, from + i * from_stride, piece_bytes);
    }
}

// Without a branch on what belongs where, which would be mispredicted half of the time.
template <std::int64_t kBytes>
std::int64_t compress(const Updates& given, std::int64_t first, std::int64_t last,
                      std::byte* own_items) noexcept {
    const Updates updates = given;
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < updates.count; ++i) {
        const std::int64_t offset = updates.offsets[i];
        updates.offsets[kept] = offset;
        std::memcpy(own_items + kept * kBytes, updates.items + i * updates.item_stride, kBytes);
        kept +=
            static_cast<std::int64_t>(offset >= first) & static_cast<std::int64_t>(offset < last);
    }
    return kept;
}

template <std::int64_t kBytes>
void gather_strip(const std::uint16_t* rows, std::int64_t count, std::int64_t width,
                  const std::byte* table, std::byte* items) noexcept {
    std::int64_t column = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(items + i * kBytes, table + (rows[i] * width + column) * kBytes, kBytes);
        column = column + 1 == width ? 0 : column + 1;
    }
}

// Rows of items are far apart: some steps of them are asked for ahead.
template <std::int64_t kBytes>
void scatter_strip(const std::uint16_t* rows, std::int64_t count, std::int64_t width,
                   std::byte* table, const std::byte* items, std::int64_t item_stride) noexcept {
    constexpr std::int64_t kAhead = 16;
    for (std::int64_t k = 0; k < count; ++k, rows += width, items += item_stride) {
        for (std::int64_t at = 0; at < width * kBytes; at += kCacheLineBytes)
            __builtin_prefetch(items + kAhead * item_stride + at);
        for (std::int64_t j = 0; j < width; ++j)
            std::memcpy(table + (rows[j] * width + j) * kBytes, items + j * kBytes, kBytes);
    }
}

template <int... kClasses>
void add_moves(Kernels& kernels, std::integer_sequence<int, kClasses...>) {
    ((kernels.gather[kClasses] = gather<CopySlice<kClassBytes[kClasses]>>,
      kernels.gather_or_fill[kClasses] = gather_or_fill<CopySlice<kClassBytes[kClasses]>>,
      kernels.scatter[kClasses] = scatter<CopySlice<kClassBytes[kClasses]>>,
      kernels.scatter_or_drop[kClasses] = scatter_or_drop<CopySlice<kClassBytes[kClasses]>>,
      kernels.copy[kClasses] = copy<kClassBytes[kClasses]>),
     ...);
}

}  // namespace

int slice_class(std::int64_t slice_bytes) noexcept {
    for (int c = 0; c < kSliceClasses - 1; ++c) {
        if (kClassBytes[c] == slice_bytes) return c;
    }
    return kSliceClasses - 1;
}

void add_scalar_kernels(Kernels& kernels) noexcept {
    for_each_index_type_and_mode([&]<class Index, Mode kMode>(int type, int mode) {
        kernels.resolve[type][mode] = resolve_scalar<Index, kMode>;
        constexpr Mode kPlaced = look_up_mode(kMode);
        LookUpKernel(&slots)[kSliceClasses] = kernels.look_up[type][mode];
        slots[0] = look_up_scalar<Index, kPlaced, 1>;
        slots[1] = look_up_scalar<Index, kPlaced, 2>;
        slots[2] = look_up_scalar<Index, kPlaced, 4>;
        slots[3] = look_up_scalar<Index, kPlaced, 8>;
        slots[4] = look_up_scalar<Index, kPlaced, 16>;
        std::copy_n(slots, kElementClasses, kernels.look_up_singly[type][mode]);
        LookUpKernel(&placed)[kSliceClasses] = kernels.look_up_placed[type][mode];
        placed[0] = look_up_placed_scalar<Index, kPlaced, 1>;
        placed[1] = look_up_placed_scalar<Index, kPlaced, 2>;
        placed[2] = look_up_placed_scalar<Index, kPlaced, 4>;
        placed[3] = look_up_placed_scalar<Index, kPlaced, 8>;
        placed[4] = look_up_placed_scalar<Index, kPlaced, 16>;
    });
    kernels.address[static_cast<int>(IndexType::kInt32)] = address_scalar<std::int32_t>;
    kernels.address[static_cast<int>(IndexType::kUint32)] = address_scalar<std::uint32_t>;
    kernels.address[static_cast<int>(IndexType::kInt64)] = address_scalar<std::int64_t>;
    kernels.address[static_cast<int>(IndexType::kUint64)] = address_scalar<std::uint64_t>;
    kernels.aside_share = 2;
    kernels.gather_strip[0] = gather_strip<1>;
    kernels.gather_strip[1] = gather_strip<2>;
    kernels.gather_strip[2] = gather_strip<4>;
    kernels.gather_strip[3] = gather_strip<8>;
    kernels.gather_strip[4] = gather_strip<16>;
    kernels.scatter_strip[0] = scatter_strip<1>;
    kernels.scatter_strip[1] = scatter_strip<2>;
    kernels.scatter_strip[2] = scatter_strip<4>;
    kernels.scatter_strip[3] = scatter_strip<8>;
    kernels.scatter_strip[4] = scatter_strip<16>;
    kernels.pack[0] = pack<std::uint8_t>;
    kernels.pack[1] = pack<std::uint16_t>;
    kernels.pack[2] = pack<std::uint32_t>;
    kernels.pack[3] = pack<std::uint64_t>;
    kernels.unpack[0] = unpack_scalar<std::uint8_t>;
    kernels.unpack[1] = unpack_scalar<std::uint16_t>;
    kernels.unpack[2] = unpack_scalar<std::uint32_t>;
    kernels.unpack[3] = unpack_scalar<std::uint64_t>;
    kernels.compress[0] = compress<1>;
    kernels.compress[1] = compress<2>;
    kernels.compress[2] = compress<4>;
    kernels.compress[3] = compress<8>;
    kernels.compress[4] = compress<16>;
    add_moves(kernels, std::make_integer_sequence<int, kSliceClasses>());
}

}  // namespace dmlindex::cpu
