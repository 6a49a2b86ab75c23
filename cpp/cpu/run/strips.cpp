#include "cpu/run/strips.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "cpu/kernels/carry.hpp"
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
    return column.table_stride == job.slice_bytes && column.item_stride == job.slice_bytes &&
           column.index_stride != 0 && walk.table_stride == 0 && walk.index_stride != 0 &&
           walk.size >= row.limit / 4 && row.table_stride >= column.size * job.slice_bytes &&
           column.size * job.slice_bytes >= 2 * kCacheLineBytes && row.limit >= kManyRows &&
           row.limit * row.table_stride > 4 * caches().l2_bytes &&
           row.limit * kCacheLineBytes <= 2 * caches().l2_bytes;
}

constexpr std::align_val_t kLine{kCacheLineBytes};

struct FreeLines {
    void operator()(std::byte* bytes) const noexcept { ::operator delete[](bytes, kLine); }
};

// Rows of the same number of bytes at a stride, and as many of them packed.
struct Rows {
    std::byte* first;
    std::int64_t stride;
    std::int64_t bytes;
};

// How many rows ahead something is asked for: neighbouring rows lie too far apart for the hardware.
constexpr std::int64_t kRowsAhead = 16;

// Calls move(block of rows, offset of each at the stride, packed bytes) for some rows at a time.
template <class Move>
void each_rows(const Rows& rows, std::byte* packed, std::int64_t count, Move move) noexcept {
    std::int64_t offsets[kBlockPositions];
    const std::int64_t most = std::min(count, kBlockPositions);
    for (std::int64_t r = 0; r < most; ++r) offsets[r] = r * rows.stride;
    for (std::int64_t done = 0; done < count; done += most) {
        move({rows.first + done * rows.stride, offsets, std::min(most, count - done),
              packed + done * rows.bytes, rows.bytes, rows.bytes, rows.bytes, true, nullptr,
              nullptr});
    }
}

void pack(const Rows& rows, std::byte* packed, std::int64_t count) noexcept {
    each_rows(rows, packed, count, kernels().gather[kSliceClasses - 1]);
}

// Past the caches where the rows are whole lines, as nothing but the result lies there.
void unpack(const Rows& rows, std::byte* packed, std::int64_t count, bool streamed) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(rows.first);
    const auto strides = static_cast<std::uintptr_t>(rows.stride | rows.bytes);
    if (!streamed || (address | strides) % kCacheLineBytes != 0) {
        each_rows(rows, packed, count, kernels().scatter[kSliceClasses - 1]);
        return;
    }
    std::int64_t offsets[kBlockPositions];
    const std::int64_t most = std::min(count, kBlockPositions);
    for (std::int64_t r = 0; r < most; ++r) offsets[r] = r * rows.bytes;
    Carry carry;
    for (std::int64_t done = 0; done < count; done += most) {
        kernels().stream({packed + done * rows.bytes, offsets, std::min(most, count - done),
                          rows.first + done * rows.stride, rows.stride, rows.bytes, rows.bytes,
                          false, nullptr, nullptr},
                         carry);
    }
}

// Executes a strip some rows at a time, whose items lie packed in between.
bool walk_strip(const Job& strip, bool streamed) noexcept {
    const Dim& walk = strip.dims[0];
    const Dim& column = strip.dims[1];
    const std::int64_t row_bytes = column.size * strip.slice_bytes;
    const std::int64_t index_row_bytes = column.size * column.index_stride;
    const std::int64_t most = std::max<std::int64_t>(kBlockPositions / column.size, 1);
    std::int64_t offsets[kBlockPositions];
    alignas(kCacheLineBytes) std::byte items[kBlockPositions * kElementBytes];
    for (std::int64_t first = 0; first < walk.size; first += most) {
        const std::int64_t rows = std::min(most, walk.size - first);
        for (std::int64_t r = 0; r < rows; ++r) {
            const std::byte* const indices =
                strip.buffers.indices + (first + r) * walk.index_stride;
            fetch_span(indices + kRowsAhead * walk.index_stride, index_row_bytes);
            const IndexRun run{
                indices,           column.index_stride,   column.size, 0, column.table_stride,
                strip.coordinates, strip.coordinate_count};
            if (!strip.resolve(run, offsets + r * column.size)) return false;
        }
        const Rows target{strip.buffers.items + first * walk.item_stride, walk.item_stride,
                          row_bytes};
        const bool gathers = strip.direction == Direction::kGather;
        if (!gathers) pack(target, items, rows);
        strip.move({strip.buffers.table, offsets, rows * column.size, items, strip.slice_bytes,
                    strip.slice_bytes, strip.element_bytes, false, strip.fill, strip.byte_table});
        if (gathers) unpack(target, items, rows, streamed);
    }
    return true;
}

// How many columns lie before the first whole line of what the strips write.
std::int64_t columns_before_line(const std::byte* written, std::int64_t slice_bytes) noexcept {
    const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(written));
    const std::int64_t bytes = -address & (kCacheLineBytes - 1);
    return bytes % slice_bytes == 0 ? bytes / slice_bytes : 0;
}

}  // namespace

std::optional<bool> execute_in_strips(const Job& job) noexcept {
    if (!pays(job)) return std::nullopt;
    const Dim& column = job.dims[job.rank - 1];
    const Coordinate& row = job.coordinates[0];
    const std::int64_t columns = strip_bytes(job) / job.slice_bytes;
    const std::unique_ptr<std::byte[], FreeLines> packed(
        new (kLine, std::nothrow)
            std::byte[static_cast<std::size_t>(row.limit * columns * job.slice_bytes)]);
    if (packed == nullptr) return std::nullopt;
    const bool gathers = job.direction == Direction::kGather;
    const bool streamed = kernels().stream != nullptr;

    Coordinate packed_row = row;
    Job strip = job;
    strip.rank = 2;
    strip.dims[0] = job.dims[job.rank - 2];
    strip.dims[1] = column;
    strip.coordinates = &packed_row;
    strip.far = false;
    strip.stream = nullptr;
    for (PositionWalker outer(job.dims, job.rank - 2, 0); !outer.at_end(); outer.advance(1)) {
        std::byte* const table = job.buffers.table + outer.table_offset();
        std::byte* const items = job.buffers.items + outer.item_offset();
        const std::byte* const indices = job.buffers.indices + outer.index_offset();
        std::int64_t width = columns_before_line(gathers ? items : table, job.slice_bytes);
        for (std::int64_t first = 0; first < column.size; first += width) {
            if (first > 0 || width == 0) width = columns;
            width = std::min(width, column.size - first);
            strip.dims[1].size = width;
            packed_row.table_stride = width * job.slice_bytes;
            const Rows rows{table + first * column.table_stride, row.table_stride,
                            packed_row.table_stride};
            pack(rows, packed.get(), row.limit);
            strip.buffers.table = packed.get();
            strip.buffers.items = items + first * column.item_stride;
            strip.buffers.indices = indices + first * column.index_stride;
            if (!walk_strip(strip, streamed)) return false;
            if (!gathers) unpack(rows, packed.get(), row.limit, streamed);
        }
    }
    if (streamed) kernels().fence();
    return true;
}

}  // namespace dmlindex::cpu
