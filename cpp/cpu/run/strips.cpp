#include "cpu/run/strips.hpp"

#include <algorithm>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/carry.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/kernels/trials.hpp"
#include "cpu/run/rows.hpp"
#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {
namespace {

// A strip's row is as wide as two cache lines, or one where two would not fit L2.
std::int64_t strip_bytes(const Job& job) noexcept {
    const std::int64_t rows = job.coordinates[0].limit;
    const std::int64_t wide = 2 * kCacheLineBytes;
    return rows * wide <= caches().l2_bytes ? wide : kCacheLineBytes;
}

// Whether the rows that columns take come from so far that packing them pays. L2 gives single ones
// out quickly; but where outer dims have other rows each, more than the last level is likely to
// keep, it has them to fetch first. A scatter packs what it writes, and has to unpack it, but where
// stores wait for the last level, that is soon quicker. The larger elements are, the more of a line
// serves the one column that comes for it.
bool are_far(const Job& job) noexcept {
    const Dim& walk = job.dims[job.rank - 2];
    const Dim& column = job.dims[job.rank - 1];
    const Coordinate& row = job.coordinates[0];
    const std::int64_t l2_bytes = caches().l2_bytes;
    const std::int64_t bytes = row.limit * row.table_stride;
    if (job.direction == Direction::kScatter) {
        constexpr std::int64_t kReducedBytes = 2;
        const auto pays_from = [&](std::int64_t share) {
            return walk.size >= row.limit * job.slice_bytes / share;
        };
        if (bytes >= 16 * l2_bytes && pays_from(bytes < 32 * l2_bytes || job.reduces ? 4 : 10))
            return true;
        const bool fits_easily = row.limit * strip_bytes(job) <= l2_bytes / 4;
        return bytes >= 2 * l2_bytes && pays_from(fits_easily ? 12 : 6) &&
               (!job.reduces || job.slice_bytes <= kReducedBytes) && stores_wait();
    }
    if (bytes > 4 * l2_bytes)
        return walk.size >= row.limit * std::max<std::int64_t>(job.slice_bytes, 4) / 16;
    const std::int64_t all_bytes = bytes + spread_bytes(job.dims, job.rank - 2);
    return bytes >= l2_bytes / 8 && all_bytes > caches().streamed_bytes &&
           walk.size >= row.limit / 2 && column.size * job.slice_bytes >= 4 * kCacheLineBytes;
}

// Rows of the same number of bytes at a stride, and as many of them packed.
struct Rows {
    std::byte* first;
    std::int64_t stride;
    std::int64_t bytes;
};

// Calls move(block of rows, offset of each at the stride, packed bytes) for some rows at a time.
template <class Move>
void each_rows(const Rows& rows, std::byte* packed, std::int64_t count, Move move) noexcept {
    alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
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
    alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
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

std::int64_t outer_positions(const Job& job) noexcept {
    std::int64_t count = 1;
    for (int d = 0; d < job.rank - 2; ++d) count *= job.dims[d].size;
    return count;
}

// How many columns lie before the first whole line of what the strips write.
std::int64_t columns_before_line(const std::byte* written, std::int64_t slice_bytes) noexcept {
    const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(written));
    const std::int64_t bytes = -address & (kCacheLineBytes - 1);
    return bytes % slice_bytes == 0 ? bytes / slice_bytes : 0;
}

}  // namespace

// A strip of columns: its table, packed, its items, and the rows that they take.
struct Strips::Strip {
    std::byte* packed;
    std::byte* items;
    const HeldRows::Row* held;
    std::int64_t width;
};

// Columns are the last dim, of single elements that lie packed in the table and have an index each.
// The dim before walks along the indexed axis. There must be more rows than the hardware can follow
// by itself, and no more than can be held.
bool Strips::pay(const Job& job) noexcept {
    constexpr std::int64_t kManyRows = 256;
    if (job.rank < 2 || job.coordinate_count != 1 || job.slice_bytes != job.element_bytes ||
        job.slice_bytes == 0 || job.slice_bytes > kElementBytes || job.first_offset != kSkipped) {
        return false;
    }
    const Dim& walk = job.dims[job.rank - 2];
    const Dim& column = job.dims[job.rank - 1];
    const Coordinate& row = job.coordinates[0];
    return column.table_stride == job.slice_bytes && column.item_stride == job.slice_bytes &&
           column.index_stride != 0 && walk.table_stride == 0 && walk.index_stride != 0 &&
           row.table_stride >= column.size * job.slice_bytes &&
           column.size * job.slice_bytes >= 2 * kCacheLineBytes && row.limit >= kManyRows &&
           row.limit <= HeldRows::kMostRows &&
           row.limit * kCacheLineBytes <= 2 * caches().l2_bytes && are_far(job) &&
           !neighbours_share_rows(job);
}

bool Strips::cover(const Job& job, std::int64_t table_bytes) noexcept {
    const std::int64_t row_bytes = job.dims[job.rank - 1].size * job.slice_bytes;
    for (int d = 0; d < job.rank - 2; ++d)
        if (job.dims[d].table_stride == 0) return false;
    return outer_positions(job) * job.coordinates[0].limit * row_bytes == table_bytes;
}

Strips::Strips(const Job& job, const std::byte* source, bool holds_all) noexcept
    : job_(job),
      columns_(strip_bytes(job) / job.slice_bytes),
      held_(job_, columns_, holds_all ? outer_positions(job) : 1) {
    job_.buffers.source = source;
    // A row more for what skipped positions get, or where they go.
    packed_.reset(new_lines((limit() + 1) * columns_ * job.slice_bytes));
}

// Calls visit(buffers, number) at each outer position while it returns true.
template <class Visit>
bool Strips::each_outer(Visit visit) const noexcept {
    std::int64_t number = 0;
    for (PositionWalker outer(job_.dims, job_.rank - 2, 0); !outer.at_end(); outer.advance(1)) {
        const Buffers at{job_.buffers.table + outer.table_offset(),
                         job_.buffers.items + outer.item_offset(),
                         job_.buffers.indices + outer.index_offset(),
                         job_.buffers.source + outer.table_offset()};
        if (!visit(at, number)) return false;
        ++number;
    }
    return true;
}

bool Strips::hold_all() noexcept {
    return each_outer([&](const Buffers& at, std::int64_t number) { return hold(at, number); });
}

bool Strips::move_all() noexcept {
    each_outer([&](const Buffers& at, std::int64_t number) {
        move(at, number);
        return true;
    });
    if (kernels().fence != nullptr) kernels().fence();
    return true;
}

bool Strips::hold_and_move() noexcept {
    const bool good = each_outer([&](const Buffers& at, std::int64_t) {
        if (!hold(at, 0)) return false;
        move(at, 0);
        return true;
    });
    if (kernels().fence != nullptr) kernels().fence();
    return good;
}

// How many columns lie before the first whole strip.
std::int64_t Strips::lead_of(const Buffers& at) const noexcept {
    return columns_before_line(gathers() ? at.items : at.table, job_.slice_bytes);
}

bool Strips::hold(const Buffers& at, std::int64_t outer) noexcept {
    return held_.hold(at.indices, lead_of(at), outer);
}

void Strips::move(const Buffers& at, std::int64_t outer) const noexcept {
    const bool streamed = kernels().stream != nullptr;
    const std::int64_t lead = lead_of(at);
    std::int64_t strip = 0;
    for (std::int64_t first = 0, last = 0; first < column().size; first = last) {
        last = held_.end_of_strip(first, lead);
        const std::int64_t row_bytes = (last - first) * job_.slice_bytes;
        const std::int64_t row_stride = job_.coordinates[0].table_stride;
        const std::int64_t to_first = first * column().table_stride;
        const auto rows_of = [&](std::byte* table) {
            return Rows{table + to_first, row_stride, row_bytes};
        };
        pack(rows_of(const_cast<std::byte*>(at.source)), packed_.get(), limit());
        fill_bytes(packed_.get() + limit() * row_bytes, gathers() ? job_.fill : nullptr,
                   job_.element_bytes, row_bytes);
        move_strip({packed_.get(), at.items + first * column().item_stride,
                    held_.of_strip(outer, strip++), last - first});
        if (!gathers()) unpack(rows_of(at.table), packed_.get(), limit(), streamed);
    }
}

// Some positions of the axis at a time, whose items lie packed in between.
void Strips::move_strip(const Strip& strip) const noexcept {
    const std::int64_t row_bytes = strip.width * job_.slice_bytes;
    // Both are null for others than elements.
    const int slice = slice_class(job_.slice_bytes);
    const StripKernel gather = kernels().gather_strip[slice];
    const StripScatterKernel scatter = kernels().scatter_strip[slice];
    if (!gathers() && !job_.reduces && scatter != nullptr) {
        scatter(strip.held, walk().size, strip.width, strip.packed, strip.items,
                walk().item_stride);
        return;
    }
    const std::int64_t most = kBlockPositions / strip.width;
    const bool gathers_at_once = gathers() && gather != nullptr && strip.width % kLookUpStep == 0;
    const Coordinate row{limit() + 1, row_bytes, 0, 0};
    alignas(kCacheLineBytes) std::int64_t places[kBlockPositions];
    for (std::int64_t i = 0; !gathers_at_once && i < most * strip.width; ++i) {
        places[i] = i % strip.width * job_.slice_bytes;
    }
    alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
    alignas(kCacheLineBytes) std::byte items[kBlockPositions * kElementBytes];
    for (std::int64_t first = 0; first < walk().size; first += most) {
        const std::int64_t rows = std::min(most, walk().size - first);
        const std::int64_t count = rows * strip.width;
        const HeldRows::Row* const held = strip.held + first * strip.width;
        const Rows target{strip.items + first * walk().item_stride, walk().item_stride, row_bytes};
        if (!gathers()) pack(target, items, rows);
        if (gathers_at_once) {
            gather(held, count, strip.width, strip.packed, items);
        } else {
            const IndexRun run{reinterpret_cast<const std::byte*>(held),
                               sizeof *held,
                               count,
                               0,
                               0,
                               &row,
                               1,
                               places};
            kernels().unpack[HeldRows::kWidth](run, offsets);
            job_.move({strip.packed, offsets, count, items, job_.slice_bytes, job_.slice_bytes,
                       job_.element_bytes, false, job_.fill, job_.byte_table});
        }
        if (gathers()) unpack(target, items, rows, kernels().stream != nullptr);
    }
}

}  // namespace dmlindex::cpu
