#include "cpu/run/strips.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "cpu/kernels/moves.hpp"
#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {
namespace {

// A strip's row is as wide as two cache lines, or one where two would not fit L2.
std::int64_t strip_bytes(const Job& job) noexcept {
    const std::int64_t rows = job.coordinates[0].limit;
    const std::int64_t wide = 2 * kCacheLineBytes;
    return rows * wide <= caches().l2_bytes ? wide : kCacheLineBytes;
}

// Columns are the last dim, of single elements that lie packed in the table and have an index each.
// The dim before walks along the indexed axis. There must be enough indices a column to be worth
// packing it, and a far table of more rows than the hardware can follow by itself.
bool pays(const Job& job) noexcept {
    constexpr std::int64_t kManyRows = 256;
    if (job.rank < 2 || job.coordinate_count != 1 || job.slice_bytes != job.element_bytes ||
        job.slice_bytes == 0 || job.slice_bytes > 16 || job.first_offset != kSkipped) {
        return false;
    }
    const Dim& walk = job.dims[job.rank - 2];
    const Dim& column = job.dims[job.rank - 1];
    const Coordinate& row = job.coordinates[0];
    return column.table_stride == job.slice_bytes && column.index_stride != 0 &&
           walk.table_stride == 0 && walk.index_stride != 0 && walk.size >= row.limit / 4 &&
           row.table_stride >= column.size * job.slice_bytes &&
           column.size * job.slice_bytes >= 2 * kCacheLineBytes && row.limit >= kManyRows &&
           row.limit * row.table_stride > caches().far_bytes &&
           row.limit * kCacheLineBytes <= 2 * caches().l2_bytes;
}

// Executes a strip some rows at a time, with the next ones on their way: a row's indices and items
// lie far from the last row's.
bool walk_strip(Job strip) noexcept {
    constexpr std::int64_t kRows = 16;
    const Dim walk = strip.dims[0];
    const std::int64_t index_row_bytes = strip.dims[1].size * strip.dims[1].index_stride;
    const std::int64_t item_row_bytes = strip.dims[1].size * strip.dims[1].item_stride;
    for (std::int64_t left = walk.size; left > 0; left -= kRows) {
        strip.dims[0].size = std::min(left, kRows);
        const std::byte* const next_indices = strip.buffers.indices + kRows * walk.index_stride;
        std::byte* const next_items = strip.buffers.items + kRows * walk.item_stride;
        for (std::int64_t r = 0; r < std::min(left - kRows, kRows); ++r) {
            fetch_span(next_indices + r * walk.index_stride, index_row_bytes);
            fetch_span(next_items + r * walk.item_stride, item_row_bytes);
        }
        if (!execute(strip)) return false;
        strip.buffers.indices = next_indices;
        strip.buffers.items = next_items;
    }
    return true;
}

}  // namespace

std::optional<bool> execute_in_strips(const Job& job) noexcept {
    if (!pays(job)) return std::nullopt;
    const Dim& column = job.dims[job.rank - 1];
    const Coordinate& row = job.coordinates[0];
    const std::int64_t columns = strip_bytes(job) / job.slice_bytes;
    const std::int64_t packed_row_bytes = columns * job.slice_bytes;
    const std::unique_ptr<std::byte[]> packed(
        new (std::nothrow) std::byte[static_cast<std::size_t>(row.limit * packed_row_bytes)]);
    if (packed == nullptr) return std::nullopt;
    const CopyKernel copy = kernels().copy[kSliceClasses - 1];

    Coordinate packed_row = row;
    packed_row.table_stride = packed_row_bytes;
    Job strip = job;
    strip.rank = 2;
    strip.dims[0] = job.dims[job.rank - 2];
    strip.dims[1] = column;
    strip.coordinates = &packed_row;
    strip.far = false;
    strip.stream = nullptr;
    for (PositionWalker outer(job.dims, job.rank - 2, 0); !outer.at_end(); outer.advance(1)) {
        for (std::int64_t first = 0; first < column.size; first += columns) {
            strip.dims[1].size = std::min(columns, column.size - first);
            const std::int64_t bytes = strip.dims[1].size * job.slice_bytes;
            std::byte* const table =
                job.buffers.table + outer.table_offset() + first * column.table_stride;
            copy(packed.get(), packed_row_bytes, table, row.table_stride, row.limit, bytes);
            strip.buffers.table = packed.get();
            strip.buffers.items =
                job.buffers.items + outer.item_offset() + first * column.item_stride;
            strip.buffers.indices =
                job.buffers.indices + outer.index_offset() + first * column.index_stride;
            if (!walk_strip(strip)) return false;
            if (job.direction == Direction::kScatter) {
                copy(table, row.table_stride, packed.get(), packed_row_bytes, row.limit, bytes);
            }
        }
    }
    return true;
}

}  // namespace dmlindex::cpu
