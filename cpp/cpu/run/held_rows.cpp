#include "cpu/run/held_rows.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "cpu/kernels/caches.hpp"

namespace dmlindex::cpu {
namespace {

constexpr std::align_val_t kLine{kCacheLineBytes};

constexpr auto kRowBytes = static_cast<std::int64_t>(sizeof(HeldRows::Row));

}  // namespace

void FreeLines::operator()(std::byte* memory) const noexcept { ::operator delete[](memory, kLine); }

std::byte* new_lines(std::int64_t bytes) noexcept {
    return new (kLine, std::nothrow) std::byte[static_cast<std::size_t>(bytes)];
}

HeldRows::HeldRows(const Job& job, std::int64_t columns, std::int64_t outer_count) noexcept
    : job_(job), columns_(columns) {
    const std::int64_t steps = job.dims[job.rank - 2].size;
    strips_ = (job.dims[job.rank - 1].size + columns - 1) / columns + 1;  // with a lead
    // A step more, so that strips do not meet in the cache.
    strip_bytes_ = (steps + 1) * columns * kRowBytes;
    rows_.reset(new_lines(outer_count * strips_ * strip_bytes_));
}

std::int64_t HeldRows::end_of_strip(std::int64_t first, std::int64_t lead) const noexcept {
    const std::int64_t end = first == 0 && lead > 0 ? lead : first + columns_;
    return std::min(end, job_.dims[job_.rank - 1].size);
}

const HeldRows::Row* HeldRows::of_strip(std::int64_t outer, std::int64_t strip) const noexcept {
    return reinterpret_cast<const Row*>(rows_.get() + (outer * strips_ + strip) * strip_bytes_);
}

bool HeldRows::hold_run(const IndexRun& run, std::byte* rows) const noexcept {
    // If all are in range, the mode does not matter.
    if (job_.hold != nullptr && run.index_stride == job_.index_bytes && job_.hold(run, rows)) {
        return true;
    }
    alignas(kCacheLineBytes) std::int64_t wide[kBlockPositions];
    if (!job_.resolve(run, wide)) return false;
    const auto behind = static_cast<std::uint64_t>(job_.coordinates[0].limit);
    for (std::int64_t i = 0; i < run.count; ++i) {
        const auto held = static_cast<Row>(std::min(static_cast<std::uint64_t>(wide[i]), behind));
        std::memcpy(rows + i * kRowBytes, &held, sizeof held);
    }
    return true;
}

// The columns [first, first + before + strips * columns_ + behind): some before the first whole
// strip, whole ones, and some behind the last.
struct HeldRows::Piece {
    std::int64_t first;
    std::int64_t before;
    std::int64_t strips;
    std::int64_t behind;

    std::int64_t end(std::int64_t columns) const noexcept {
        return first + before + strips * columns + behind;
    }
};

HeldRows::Piece HeldRows::piece_at(std::int64_t first, std::int64_t lead) const noexcept {
    const std::int64_t left = job_.dims[job_.rank - 1].size - first;
    Piece piece{first, first == 0 ? std::min(lead, left) : 0, 0, 0};
    piece.strips = (std::min(left, kBlockPositions) - piece.before) / columns_;
    const std::int64_t rest = first + left - piece.end(columns_);
    if (rest < columns_ && left <= kBlockPositions) piece.behind = rest;
    return piece;
}

// Indices are read along rows, whatever strips they belong to, and taken there then.
bool HeldRows::hold(const std::byte* indices, std::int64_t lead, std::int64_t outer) noexcept {
    const Dim& walk = job_.dims[job_.rank - 2];
    const Dim& column = job_.dims[job_.rank - 1];
    const std::int64_t bytes = columns_ * kRowBytes;
    const CopyKernel copy = kernels().copy[slice_class(bytes)];
    Coordinate row = job_.coordinates[0];
    row.table_stride = 1;
    alignas(kCacheLineBytes) std::byte rows[kBlockPositions * kRowBytes];
    for (std::int64_t step = 0; step < walk.size; ++step) {
        std::byte* strip = rows_.get() + outer * strips_ * strip_bytes_;
        for (std::int64_t first = 0, last = 0; first < column.size; first = last) {
            const Piece piece = piece_at(first, lead);
            last = piece.end(columns_);
            const std::byte* const from =
                indices + step * walk.index_stride + first * column.index_stride;
            if (!hold_run({from, column.index_stride, last - first, 0, 0, &row, 1}, rows))
                return false;
            const std::byte* held = rows;
            const auto take = [&](std::int64_t strips, std::int64_t width) {
                const std::int64_t row_bytes = width * kRowBytes;
                if (width == columns_) {
                    copy(strip + step * row_bytes, strip_bytes_, held, row_bytes, strips,
                         row_bytes);
                } else {
                    std::memcpy(strip + step * row_bytes, held,
                                static_cast<std::size_t>(row_bytes));
                }
                strip += strips * strip_bytes_;
                held += strips * row_bytes;
            };
            if (piece.before > 0) take(1, piece.before);
            take(piece.strips, columns_);
            if (piece.behind > 0) take(1, piece.behind);
        }
    }
    return true;
}

}  // namespace dmlindex::cpu
