// A Plan is what every operator becomes: a table of strides, and nothing of the operator's name.
//
//     table[ Σ_d p_d·table_stride_d + Σ_k resolve(indices[p, k])·coordinate_k.table_stride + s ]
//         ⇄  items[ Σ_d p_d·item_stride_d + s ]
//
// for every position p in dims and every byte s of the slice. A gather reads the table (its input)
// and writes the items (its output). A scatter first copies source to the table (its output), then
// writes the items (its updates) into it, those of one place in C order of p, so that the last one
// wins.
//
// All strides and offsets are in bytes. Before canonicalize() the slice is one element; after it,
// dims of size 1 are gone, neighbours that can be one dim are, and the contiguous tail is the
// slice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dmlindex/error.hpp"

namespace dmlindex {

inline constexpr int kMaxDims = 64;  // NumPy's limit, and thereby the CPU's

enum class Direction : std::uint8_t { kGather, kScatter };

enum class IndexType : std::uint8_t {
    kInt8,
    kUint8,
    kInt16,
    kUint16,
    kInt32,
    kUint32,
    kInt64,
    kUint64
};

constexpr bool is_signed(IndexType type) noexcept {
    return (static_cast<int>(type) & 1) == 0;  // they alternate
}

constexpr std::int64_t index_bytes(IndexType type) noexcept {
    return std::int64_t{1} << (static_cast<int>(type) / 2);
}

enum class Reduction : std::uint8_t { kNone, kAdd, kMul, kMin, kMax };

// The arithmetic of a reduction; without one, an element is just its bytes.
enum class ValueType : std::uint8_t {
    kBool,
    kInt8,
    kUint8,
    kInt16,
    kUint16,
    kInt32,
    kUint32,
    kInt64,
    kUint64,
    kFloat16,
    kBfloat16,
    kFloat32,
    kFloat64,
    kLongDouble,
    kComplex64,
    kComplex128,
    kComplexLongDouble,
    kByteTable  // an 8-bit float: the result of every pair of values stands in Plan::byte_table
};

// A dim of the positions. One with index_stride 0 uses the same index all along (a slice's dim, or
// a dim before a gather's axis); one with table_stride 0 does not move in the table by itself.
struct Dim {
    std::int64_t size;
    std::int64_t table_stride;
    std::int64_t item_stride;
    std::int64_t index_stride;
};

// One number of an index tuple: it lies index_offset behind the tuple's first byte, counts along an
// axis of the table that has limit places, and each place is table_stride away from the last.
struct Coordinate {
    std::int64_t limit;
    std::int64_t table_stride;
    std::int64_t index_offset;
    int axis;  // of the input, for messages
};

// A dim of the copy source → table that a scatter starts with.
struct CopyDim {
    std::int64_t size;
    std::int64_t table_stride;
    std::int64_t source_stride;
};

// A table seen as one line of elements, the way DirectML does. Coordinates are numbers of 32 bits,
// a negative one counts from the end of its axis once, and no axis is checked: the sum of all
// products with strides, in elements, wraps at 2^32 and is an element's address. A slice's elements
// have addresses of their own, one after the other. A gather reads the last address instead of one
// behind it; a scatter leaves out what is behind it. Addresses from size on have no memory: they
// read as zero, and are not written.
//
// Where every index is in range this is what every other mode does.
struct Line {
    std::int64_t last;  // < 2^32
    std::int64_t size;  // elements of the table that are there; may be more or less than last + 1
};

// A dim of the indices as the caller gave them, without the tuple's own dim: all of them are
// checked in this order, even those that no position reads because the slice is empty.
struct IndexDim {
    std::int64_t size;
    std::int64_t index_stride;
};

// What a plan has once, apart from its shapes.
struct PlanHead {
    Direction direction;
    IndexType index_type;
    Mode mode;  // not kDirectml: the plan is linear instead
    Reduction reduction;
    ValueType value_type;         // read when there is a reduction
    bool unique_indices;          // the caller's promise that no two updates meet
    bool any_order;               // a reduction may combine updates in any order
    bool copies_source;           // a scatter whose table is not its source already
    bool is_linear;               // an index out of range is an address on the line: nothing fails
    std::int64_t element_bytes;   // 0 is possible: NumPy has dtypes of no bytes
    std::int64_t slice_bytes;     // contiguous in table and items; a multiple of element_bytes
    const std::byte* fill;        // element_bytes of them, or null for zeros; gathers with kSkip
    const std::byte* byte_table;  // [256 old values][256 updates]; with kByteTable
    Line line;                    // set for a linear plan; all table strides are whole elements

    int rank;
    int coordinate_count;  // ≥ 1
    int copy_rank;
    int index_rank;
    std::int64_t copy_bytes;  // the contiguous tail of the copy
};

// Only the first rank, coordinate_count, … of what it has many of are set, and copied: a Plan is
// cheap to make. (To copy it as a whole can take 6 µs on a Zen 3.)
struct Plan : PlanHead {
    Plan() = default;
    Plan(const Plan& other) noexcept : PlanHead(other) { copy_shapes(other); }
    Plan& operator=(const Plan& other) noexcept {
        PlanHead::operator=(other);
        copy_shapes(other);
        return *this;
    }

    Dim dims[kMaxDims];
    Coordinate coordinates[kMaxDims];
    CopyDim copy_dims[kMaxDims];
    IndexDim index_dims[kMaxDims];

  private:
    void copy_shapes(const Plan& other) noexcept {
        std::copy_n(other.dims, rank, dims);
        std::copy_n(other.coordinates, coordinate_count, coordinates);
        std::copy_n(other.copy_dims, copy_rank, copy_dims);
        std::copy_n(other.index_dims, index_rank, index_dims);
    }
};

// Sets everything that is no shape to its default: mode kRaise, no fill, no reduction, no copy.
void begin_plan(Direction direction, IndexType index_type, std::int64_t element_bytes,
                Plan& plan) noexcept;

// Orders dims as what is written lies in memory, drops dims of size 1, merges dims, peels the
// contiguous slice and the contiguous copy; where no index can be out of range, none is looked for.
// The plan moves the same bytes afterwards, and to each place in the same order.
void canonicalize(Plan& plan) noexcept;

}  // namespace dmlindex
