// The table of CPU kernels. scalar.cpp fills every slot with plain loops; an ISA's file overrides
// those that it makes faster. Kernels are noexcept, allocate nothing, and take tensors at any
// alignment; offsets lie at whole 8 bytes. Counts may be 0; slices and pieces have a byte at least.
// What a kernel writes overlaps nothing that it reads, but for a table that it changes, and it
// touches no byte beyond what it is told to move: tests/cpp/kernels holds every slot to its
// contract, between guard pages.
//
// A call goes in blocks of positions: resolve turns a block's indices into byte offsets in the
// table, and a move carries the bytes. Both work on offsets that lie in L1, so that they combine
// freely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include "plan/plan.hpp"

namespace dmlindex::cpu {

class Carry;
// The offset of a position that moves nothing: its index was out of range under Mode::kSkip.
inline constexpr std::int64_t kSkipped = std::numeric_limits<std::int64_t>::min();

// A run of positions along one dim, and where their indices and places in the table are.
struct IndexRun {
    const std::byte* indices;
    std::int64_t index_stride;
    std::int64_t count;
    std::int64_t table_offset;  // of the run's first position
    std::int64_t table_stride;  // from one position to the next, before any index
    const Coordinate* coordinates;
    int coordinate_count;
    // For a run that crosses the ends of rows: what to take instead of i·table_stride. Else null.
    const std::int64_t* places = nullptr;
    bool in_long_row = false;    // a piece of a row of kLongRow positions or more
    bool fetches_table = false;  // a look-up asks for its elements some positions ahead
    static constexpr std::int64_t kLongRow = 512;
};

// Writes count offsets: table_offset + i·table_stride (or places[i]) + Σ_k
// index_k·coordinate_k.table_stride, or kSkipped for an index out of range under Mode::kSkip;
// returns false, and the offsets mean nothing, if there is one that the mode gives no place. Limits
// are at least 1, or 0 under Mode::kSkip. Reads every index once; under Mode::kWrap maybe twice.
using ResolveKernel = bool (*)(const IndexRun& run, std::int64_t* offsets) noexcept;

// The scalar ResolveKernels, for every index type and mode: vector kernels leave rests and rare
// cases to them.
template <class Index, Mode kMode>
bool resolve_scalar(const IndexRun& run, std::int64_t* offsets) noexcept;

// How far a linear plan's line reaches, in bytes.
struct LineSpan {
    std::int64_t wrap;    // offsets count modulo it, a power of two of at most 2^35
    std::int64_t whole;   // up to here a slice is there as a whole; may be negative
    std::int64_t end;     // from here on there is nothing of it,
    std::int64_t last;    // up to here, behind which it wraps
    std::int64_t behind;  // stands for the offset of a slice that is not there
    bool of_elements;     // slices and offsets are such that none is there in part
};

// Writes count offsets on the line: table_offset + i·table_stride + Σ_k
// index_k·coordinate_k.table_stride, none of them negative, modulo wrap, or behind for one past
// whole. Returns false if a slice is there in part; its offset is behind, too. Of an index it takes
// the low 32 bits and adds limit if it is negative, which 64-bit ones are from 2^63 on in either
// type; strides are below 2^35. Slots are null for indices of 8 and 16 bits.
using AddressKernel = bool (*)(const IndexRun& run, const LineSpan& span,
                               std::int64_t* offsets) noexcept;

template <class Index>
bool address_scalar(const IndexRun& run, const LineSpan& span, std::int64_t* offsets) noexcept;

// The scalar kernels that read held offsets back: as a ResolveKernel with one coordinate at
// index_offset 0, whose limit they do not look at, as every index is good.
template <class Packed>
bool unpack_scalar(const IndexRun& run, std::int64_t* offsets) noexcept;

// Resolve and gather in one, for slices packed in table and items and packed indices of one
// coordinate: moves kLookUpStep at a time, or one by one where there are fewer and without vectors,
// as long as all of these are in range, and returns how many it moved; maybe none of a table with
// more than 2^30 places. The last step goes over some positions again where they are no multiple of
// it. What is read again is checked again. Slots are null for other slices.
inline constexpr std::int64_t kLookUpStep = 16;
using LookUpKernel = std::int64_t (*)(const IndexRun& run, const std::byte* table,
                                      std::byte* items) noexcept;

// Short rows of 24, 32 and 64 bytes are looked up, too, by indices of 32 and 64 bits, and slices of
// other numbers of bytes, the coordinate's stride, up to kMostWidenedBytes. Of the latter anything
// may be left in the run's items where it stopped.
inline constexpr std::int64_t kMostWidenedBytes = 15;

// The mode whose look-up a mode has: what is out of range they leave alone, but for kClamp.
constexpr Mode look_up_mode(Mode mode) noexcept {
    return mode == Mode::kClamp ? Mode::kClamp : Mode::kRaise;
}

// Those of look_up_placed take a coordinate of any stride, and add where the run's positions are
// in the table before any index, as a ResolveKernel does; they go over none again.

// The same for a linear plan, in elements, as run's table_offset is: their places are table_offset
// + index modulo 2^32, and last_place for those behind it. Moves as many steps as there are, or
// none if last_place is too large.
using LineLookUpKernel = std::int64_t (*)(const IndexRun& run, std::int64_t last_place,
                                          const std::byte* line, std::byte* items) noexcept;

// The place that each of many tuples of 2 to 4 indices names in a packed table, whose elements the
// coordinates' strides count, fewer than 2^30 and each of the limits too. Tuples are packed. Writes
// kLookUpStep at a time, as long as all of these are in range, and returns how many; the last step
// goes over some again. None of fewer, or of other tuples; where the run's positions are before any
// index is not looked at. Slots are null where there is no gain.
inline constexpr int kMostFlattened = 4;
using FlattenKernel = std::int64_t (*)(const IndexRun& run, std::uint32_t* places) noexcept;

// Resolve and scatter, or reduce, in one, for packed items of elements and packed indices of one
// coordinate whose stride they are: moves all in order, or those before the first whose index is
// out of range, and returns how many. Places of a far table are asked for ahead.
using UpdateKernel = std::int64_t (*)(const IndexRun& run, std::byte* table, const std::byte* items,
                                      bool far) noexcept;

// A gather from a strip: items[i] is the element of row rows[i], column i % width of a packed table
// of rows of width elements, for all i < count. Both are whole steps of kLookUpStep.
using StripKernel = void (*)(const std::uint16_t* rows, std::int64_t count, std::int64_t width,
                             const std::byte* table, std::byte* items) noexcept;

// A scatter into one, row by row of count rows of items, which have an element for each of the
// table's columns; of those that go to one place the last stays.
using StripScatterKernel = void (*)(const std::uint16_t* rows, std::int64_t count,
                                    std::int64_t width, std::byte* table, const std::byte* items,
                                    std::int64_t item_stride) noexcept;

// Offsets already resolved, in units and counted from the lowest, held in 1, 2, 4 or 8 bytes: pack
// narrows count of them, which all fit, and a ResolveKernel whose one coordinate has the unit as
// its stride reads them back.
using PackKernel = void (*)(const std::int64_t* offsets, std::int64_t count, std::int64_t lowest,
                            std::byte* packed) noexcept;

// A block of positions, their offsets known.
struct Block {
    std::byte* table;
    const std::int64_t* offsets;
    std::int64_t count;
    std::byte* items;
    std::int64_t item_stride;
    std::int64_t slice_bytes;
    std::int64_t element_bytes;
    bool far;                     // the table is larger than the caches: fetch ahead
    const std::byte* fill;        // for gathers: element_bytes of them, or null for zeros
    const std::byte* byte_table;  // for reductions of ValueType::kByteTable
    bool asks_for_items = false;  // before they are written: for gathers
    bool all_lines = false;       // a kernel that can fetches slices ahead as a whole
};

// Moves every position's slice, in order: table → items (gather), items → table (scatter), or the
// table's elements combined with the items' (reduction). Positions that are kSkipped get fill, or
// nothing; where fill or a reduction is, a slice is whole elements. Slices that are written are the
// same or apart, others may overlap each other. A kernel for one size takes it for slice_bytes.
using MoveKernel = void (*)(const Block& block) noexcept;

// Copies count pieces of piece_bytes to strided places that do not overlap.
using CopyKernel = void (*)(std::byte* to, std::int64_t to_stride, const std::byte* from,
                            std::int64_t from_stride, std::int64_t count,
                            std::int64_t piece_bytes) noexcept;

// Copies kLeastSpanBytes or more, without a gap and without an overlap.
inline constexpr std::int64_t kLeastSpanBytes = 512;
using SpanKernel = void (*)(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept;

// A gather of packed items past the caches, for a large result that nobody reads soon, which is
// there once the carry is gone. Slices are at least a cache line; no position is skipped. Slots are
// null where an ISA has none. What is written is ordered before later stores by fence.
using StreamKernel = void (*)(const Block& block, Carry& carry) noexcept;
using FenceKernel = void (*)() noexcept;

// How the items of a group of rows are put together from the bytes of its table: in pieces of the
// kernels' shuffle_bytes, of which the last may cover some of the one before. A piece has loads of
// as many bytes each, which lie at `from` in the group's table; a load's control has a byte for
// each of the piece's, that says which of the load's it is, or kNoByte. Of a piece's loads one has
// it.
struct Shuffle {
    static constexpr int kMostLoads = 4;
    static constexpr std::byte kNoByte{0x80};
    const std::int32_t* from;
    const std::byte* controls;
    int loads;
    std::int64_t item_bytes;  // of a group: a piece or more
};

// A gather of groups that lie table_stride apart and whose items follow each other.
using ShuffleKernel = void (*)(const Shuffle& shuffle, std::int64_t groups, const std::byte* table,
                               std::int64_t table_stride, std::byte* items) noexcept;

// The largest element that has kernels of its own.
inline constexpr std::int64_t kElementBytes = 16;

// Keeps, in order, the updates whose offset lies in [first, last): their offsets in place, their
// elements packed in own_items, which has room for count; returns how many. What lies behind them
// means nothing.
struct Updates {
    std::int64_t* offsets;
    std::int64_t count;
    const std::byte* items;
    std::int64_t item_stride;
};
using CompressKernel = std::int64_t (*)(const Updates& updates, std::int64_t first,
                                        std::int64_t last, std::byte* own_items) noexcept;

// Resolves packed indices of one coordinate and stride 1, whose limit - 1 fits, straight into the
// packed form, or returns false, and the packed form means nothing, if one is out of range. Slots
// are null where an ISA has none.
using HoldKernel = bool (*)(const IndexRun& run, std::byte* packed) noexcept;

// Slices of these sizes have kernels of their own: elements, then short rows such as a pixel's
// three channels. 0, the last, is any size.
inline constexpr std::int64_t kClassBytes[] = {1, 2, 4, 8, 16, 3, 6, 12, 24, 32, 64, 0};
inline constexpr int kElementClasses = 5;  // they come first
inline constexpr int kSliceClasses = std::size(kClassBytes);
int slice_class(std::int64_t slice_bytes) noexcept;

inline constexpr int kIndexTypes = 8;
inline constexpr int kModes = 4;
inline constexpr int kValueTypes = 18;
inline constexpr int kReductions = 5;
inline constexpr int kPackedWidths = 4;  // 1, 2, 4, 8 bytes

struct Kernels {
    const char* name;
    ResolveKernel resolve[kIndexTypes][kModes];
    AddressKernel address[kIndexTypes];
    LookUpKernel look_up[kIndexTypes][kModes][kSliceClasses];
    // For tables that L2 does not hold; null where it is look_up's.
    LookUpKernel look_up_far[kIndexTypes][kModes][kElementClasses];
    // One element after the other, without vectors: several wait longer for far lines on some CPUs.
    LookUpKernel look_up_singly[kIndexTypes][kModes][kElementClasses];
    // For tables of at most small_table elements, which fit in registers.
    LookUpKernel look_up_small[kIndexTypes][kModes][kSliceClasses];
    std::int64_t small_table[kSliceClasses];  // 0 where an ISA has none
    // Rows of tables of so many places are looked up as those of larger ones; 0: of none.
    std::int64_t least_gathered[kSliceClasses];
    // For elements; null where an ISA's two passes take no longer.
    LookUpKernel look_up_placed[kIndexTypes][kModes][kSliceClasses];
    FlattenKernel flatten[kIndexTypes][kModes];
    LineLookUpKernel line_look_up[kIndexTypes][kSliceClasses];
    LineLookUpKernel line_look_up_small[kIndexTypes][kSliceClasses];  // for axes of small_table
    UpdateKernel put[kSliceClasses][kIndexTypes];  // for elements; null for rare indices
    UpdateKernel put_reduced[kValueTypes][kReductions][kIndexTypes];
    std::int64_t few_summed_places;  // sums and products of no more are quicker in two passes
    // A gather's result of this part of its indices' bytes or less is quicker made before they are
    // all checked, and copied to its place then, than the offsets are held.
    std::int64_t aside_share;
    StripKernel gather_strip[kSliceClasses];  // for elements
    StripScatterKernel scatter_strip[kSliceClasses];
    PackKernel pack[kPackedWidths];
    HoldKernel hold[kIndexTypes][kPackedWidths];
    ResolveKernel unpack[kPackedWidths];
    MoveKernel gather[kSliceClasses];
    MoveKernel gather_or_fill[kSliceClasses];  // some offsets may be kSkipped
    MoveKernel scatter[kSliceClasses];
    MoveKernel scatter_or_drop[kSliceClasses];
    MoveKernel reduce[kValueTypes][kReductions];  // null: no such arithmetic
    CopyKernel copy[kSliceClasses];
    SpanKernel copy_in_lines;  // null where the C library copies what is long
    StreamKernel stream;
    FenceKernel fence;
    CompressKernel compress[kSliceClasses];  // for elements
    ShuffleKernel shuffle;                   // null where an ISA has none
    std::int64_t shuffle_bytes;
};

// The kernels for this CPU, or those that DMLINDEX_CPU names.
const Kernels& kernels();

// Those of one of supported_isas().
Kernels kernels_of(const std::string& isa) noexcept;

}  // namespace dmlindex::cpu
