#include "cpu/run/strips.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

#include "cpu/kernels/carry.hpp"
#include "cpu/kernels/moves.hpp"
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
// keep, it has them to fetch first. A scatter packs what it writes, and has to unpack it. The
// larger elements are, the more of a line serves the one column that comes for it.
bool are_far(const Job& job) noexcept {
    const Dim& walk = job.dims[job.rank - 2];
    const Dim& column = job.dims[job.rank - 1];
    const Coordinate& row = job.coordinates[0];
    const std::int64_t l2_bytes = caches().l2_bytes;
    const std::int64_t bytes = row.limit * row.table_stride;
    if (job.direction == Direction::kScatter)
        return bytes >= 16 * l2_bytes && walk.size >= row.limit * job.slice_bytes / 4;
    if (bytes > 4 * l2_bytes)
        return walk.size >= row.limit * std::max<std::int64_t>(job.slice_bytes, 4) / 16;
    const std::int64_t all_bytes = bytes + spread_bytes(job.dims, job.rank - 2);
    return bytes >= l2_bytes / 8 && all_bytes > caches().streamed_bytes &&
           walk.size >= row.limit / 2 && column.size * job.slice_bytes >= 4 * kCacheLineBytes;
}

constexpr std::align_val_t kLine{kCacheLineBytes};

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
    const HeldRow* held;
    std::int64_t width;
};

void Strips::FreeLines::operator()(std::byte* bytes) const noexcept {
    ::operator delete[](bytes, kLine);
}

// Columns are the last dim, of single elements that lie packed in the table and have an index each.
// The dim before walks along the indexed axis. There must be more rows than the hardware can follow
// by itself, and no more than can be held.
bool Strips::pay(const Job& job) noexcept {
    constexpr std::int64_t kManyRows = 256;
    constexpr std::int64_t kMostRows = std::numeric_limits<HeldRow>::max();
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
           row.limit <= kMostRows && row.limit * kCacheLineBytes <= 2 * caches().l2_bytes &&
           are_far(job) && !neighbours_share_rows(job);
}

Strips::Strips(const Job& job, bool holds_all) noexcept : job_(job) {
    columns_ = strip_bytes(job) / job.slice_bytes;
    // A row more for each strip, so that strips do not meet in the cache.
    held_apart_ = (walk().size + 1) * column().size;
    std::int64_t held = held_apart_;
    for (int d = 0; holds_all && d < job.rank - 2; ++d) held *= job.dims[d].size;
    if (!holds_all) held_apart_ = 0;
    // And one for what skipped positions get, or where they go.
    const std::int64_t packed_bytes = (limit() + 1) * columns_ * job.slice_bytes;
    packed_.reset(new (kLine, std::nothrow) std::byte[static_cast<std::size_t>(packed_bytes)]);
    held_.reset(new (std::nothrow) HeldRow[static_cast<std::size_t>(held)]);
}

// Calls visit(buffers, held rows) at each outer position while it returns true.
template <class Visit>
bool Strips::each_outer(Visit visit) const noexcept {
    HeldRow* held = held_.get();
    for (PositionWalker outer(job_.dims, job_.rank - 2, 0); !outer.at_end(); outer.advance(1)) {
        const Buffers at{job_.buffers.table + outer.table_offset(),
                         job_.buffers.items + outer.item_offset(),
                         job_.buffers.indices + outer.index_offset(), nullptr};
        if (!visit(at, held)) return false;
        held += held_apart_;
    }
    return true;
}

bool Strips::hold_all() noexcept {
    return each_outer([&](const Buffers& at, HeldRow* held) { return hold(at, held); });
}

void Strips::move_all() noexcept {
    each_outer([&](const Buffers& at, const HeldRow* held) {
        move(at, held);
        return true;
    });
    if (kernels().fence != nullptr) kernels().fence();
}

bool Strips::hold_and_move() noexcept {
    const bool good = each_outer([&](const Buffers& at, HeldRow* held) {
        if (!hold(at, held)) return false;
        move(at, held);
        return true;
    });
    if (kernels().fence != nullptr) kernels().fence();
    return good;
}

// How many columns lie before the first whole strip.
std::int64_t Strips::lead_of(const Buffers& at) const noexcept {
    return columns_before_line(gathers() ? at.items : at.table, job_.slice_bytes);
}

// Where the strip ends that begins at a column.
std::int64_t Strips::end_of_strip(std::int64_t first, std::int64_t lead) const noexcept {
    return std::min(first == 0 && lead > 0 ? lead : first + columns_, column().size);
}

// Narrows the rows that a run of indices means, or the one behind the last where it is skipped.
// False if there is one that the mode gives no place.
bool Strips::hold_run(const IndexRun& run, HeldRow* held) const noexcept {
    // If all are in range, the mode does not matter.
    if (job_.hold != nullptr && run.index_stride == job_.index_bytes &&
        job_.hold(run, reinterpret_cast<std::byte*>(held))) {
        return true;
    }
    alignas(kCacheLineBytes) std::int64_t rows[kBlockPositions];
    if (!job_.resolve(run, rows)) return false;
    const auto behind = static_cast<std::uint64_t>(limit());
    for (std::int64_t i = 0; i < run.count; ++i) {
        held[i] = static_cast<HeldRow>(std::min(static_cast<std::uint64_t>(rows[i]), behind));
    }
    return true;
}

bool Strips::hold(const Buffers& at, HeldRow* held) const noexcept {
    constexpr auto kHeldBytes = static_cast<std::int64_t>(sizeof(HeldRow));
    Coordinate row = job_.coordinates[0];
    row.table_stride = 1;
    const std::int64_t lead = lead_of(at);
    const std::int64_t strip_rows = walk().size + 1;
    HeldRow block[kBlockPositions];
    for (std::int64_t r = 0; r < walk().size; ++r) {
        const std::byte* const indices = at.indices + r * walk().index_stride;
        for (std::int64_t first = 0, last = 0; first < column().size; first = last) {
            // Strips of one width are held at once, and then taken to where they belong.
            const std::int64_t width = end_of_strip(first, lead) - first;
            const std::int64_t strips =
                std::clamp<std::int64_t>((column().size - first) / width, 1,
                                         width == columns_ ? kBlockPositions / width : 1);
            last = first + strips * width;
            const IndexRun run{indices + first * column().index_stride,
                               column().index_stride,
                               last - first,
                               0,
                               0,
                               &row,
                               1};
            if (!hold_run(run, block)) return false;
            const std::int64_t row_bytes = width * kHeldBytes;
            kernels().copy[slice_class(row_bytes)](
                reinterpret_cast<std::byte*>(held + first * strip_rows + r * width),
                strip_rows * row_bytes, reinterpret_cast<const std::byte*>(block), row_bytes,
                strips, row_bytes);
        }
    }
    return true;
}

void Strips::move(const Buffers& at, const HeldRow* held) const noexcept {
    const bool streamed = kernels().stream != nullptr;
    const std::int64_t lead = lead_of(at);
    for (std::int64_t first = 0, last = 0; first < column().size; first = last) {
        last = end_of_strip(first, lead);
        const std::int64_t row_bytes = (last - first) * job_.slice_bytes;
        const std::int64_t row_stride = job_.coordinates[0].table_stride;
        const Rows rows{at.table + first * column().table_stride, row_stride, row_bytes};
        pack(rows, packed_.get(), limit());
        fill_bytes(packed_.get() + limit() * row_bytes, gathers() ? job_.fill : nullptr,
                   job_.element_bytes, row_bytes);
        move_strip({packed_.get(), at.items + first * column().item_stride,
                    held + first * (walk().size + 1), last - first});
        if (!gathers()) unpack(rows, packed_.get(), limit(), streamed);
    }
}

// Some positions of the axis at a time, whose items lie packed in between.
void Strips::move_strip(const Strip& strip) const noexcept {
    const std::int64_t row_bytes = strip.width * job_.slice_bytes;
    const std::int64_t most = kBlockPositions / strip.width;
    const bool gathers_at_once = gathers() && strip.width % kLookUpStep == 0;
    const StripKernel gather = kernels().gather_strip[slice_class(job_.slice_bytes)];
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
        const HeldRow* const held = strip.held + first * strip.width;
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
            kernels().unpack[kHeldWidth](run, offsets);
            job_.move({strip.packed, offsets, count, items, job_.slice_bytes, job_.slice_bytes,
                       job_.element_bytes, false, job_.fill, job_.byte_table});
        }
        if (gathers()) unpack(target, items, rows, kernels().stream != nullptr);
    }
}

}  // namespace dmlindex::cpu
