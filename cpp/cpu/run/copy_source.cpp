#include "cpu/run/copy_source.hpp"

#include <algorithm>
#include <cstdlib>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/carry.hpp"
#include "cpu/kernels/in_caches.hpp"
#include "cpu/kernels/trials.hpp"
#include "cpu/run/fill.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/split.hpp"
#include "cpu/run/transposed.hpp"
#include "cpu/run/walker.hpp"
#include "parallel/parallel.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// Calls visit(to, from) for every place along the dims, as positions whose items are the source.
template <class Visit>
void each_place(const CopyDim* dims, int rank, std::byte* table, const std::byte* source,
                Visit visit) noexcept {
    Dim places[kMaxDims];
    for (int d = 0; d < rank; ++d)
        places[d] = {dims[d].size, dims[d].table_stride, dims[d].source_stride, 0};
    for (PositionWalker walker(places, rank, 0); !walker.at_end(); walker.advance(1))
        visit(table + walker.table_offset(), source + walker.item_offset());
}

// The dim that is packed in the source while the last one is in the table; -1 if there is none, or
// they had better be copied row by row.
int transposed_dim(const CopyDim* dims, int rank, std::int64_t piece_bytes) noexcept {
    const CopyDim& inner = dims[rank - 1];
    if (inner.table_stride != piece_bytes) return -1;
    for (int d = rank - 2; d >= 0; --d) {
        if (std::abs(dims[d].source_stride) == piece_bytes)
            return transposes(dims[d].size, inner.size, piece_bytes) ? d : -1;
    }
    return -1;
}

void copy_transposed_dims(const CopyDim* dims, int rank, int transposed, std::int64_t piece_bytes,
                          std::byte* table, const std::byte* source) noexcept {
    CopyDim row = dims[transposed];
    const CopyDim& column = dims[rank - 1];
    if (row.source_stride < 0) {  // from its other end
        table += (row.size - 1) * row.table_stride;
        source += (row.size - 1) * row.source_stride;
        row.table_stride = -row.table_stride;
    }
    CopyDim others[kMaxDims];
    std::copy(dims + transposed + 1, dims + rank - 1, std::copy_n(dims, transposed, others));
    each_place(others, rank - 2, table, source, [&](std::byte* to, const std::byte* from) {
        copy_transposed({to, row.table_stride, from, column.source_stride, row.size, column.size},
                        piece_bytes);
    });
}

void copy_dims(const CopyDim* dims, int rank, std::int64_t piece_bytes, std::byte* table,
               const std::byte* source) noexcept {
    const CopyKernel copy = kernels().copy[slice_class(piece_bytes)];
    if (rank == 0) {
        copy(table, 0, source, 0, 1, piece_bytes);
        return;
    }
    if (const int d = transposed_dim(dims, rank, piece_bytes); d >= 0) {
        copy_transposed_dims(dims, rank, d, piece_bytes, table, source);
        return;
    }
    // One element over and over, as of np.broadcast_to: copied one by one, small ones take up to
    // ten times as long, and longer than looked up.
    constexpr std::int64_t kLookUpsACopy = 4;
    const CopyDim& inner = dims[rank - 1];
    const bool fills =
        inner.source_stride == 0 && inner.table_stride == piece_bytes &&
        piece_bytes < kElementBytes &&
        kLookUpsACopy * inner.size * piece_bytes >= least_filled_bytes(piece_bytes, false);
    each_place(dims, rank - 1, table, source, [&](std::byte* to, const std::byte* from) {
        if (fills) {
            fill(to, from, piece_bytes, inner.size);
        } else {
            copy(to, inner.table_stride, from, inner.source_stride, inner.size, piece_bytes);
        }
    });
}

// One contiguous copy past the caches.
void stream(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept {
    const std::int64_t offset = 0;
    {
        Carry carry;
        kernels().stream({const_cast<std::byte*>(from), &offset, 1, to, bytes, bytes, bytes, false,
                          nullptr, nullptr},
                         carry);
    }
    kernels().fence();
}

int threads_for_copy(std::int64_t bytes) noexcept { return threads_for(2 * bytes); }

void copy_span(std::byte* to, const std::byte* from, std::int64_t bytes, int threads,
               bool streamed) {
    parallel_for(threads, [&](std::int64_t p) {
        const std::int64_t first = part_begin(p, bytes, threads);
        const std::int64_t count = part_begin(p + 1, bytes, threads) - first;
        if (streamed) {
            stream(to + first, from + first, count);
        } else {
            copy_dims(nullptr, 0, count, to + first, from + first);
        }
    });
}

bool is_streamed(const Plan& plan, std::int64_t bytes, int threads) noexcept {
    if (kernels().stream == nullptr || !goes_past_caches(bytes, threads)) return false;
    if (bytes >= caches().far_bytes && plan.slice_bytes >= kCacheLineBytes) return true;
    const std::int64_t touched = position_count(plan) * std::max(plan.slice_bytes, kCacheLineBytes);
    return touched <= bytes / 8;
}

}  // namespace

bool copy_is_streamed(const Plan& plan) noexcept {
    const std::int64_t bytes = source_bytes(plan);
    return is_streamed(plan, bytes, threads_for_copy(bytes));
}

void copy_source(const Plan& plan, const Buffers& buffers) {
    const std::int64_t bytes = source_bytes(plan);
    if (bytes == 0) return;
    const int threads = threads_for_copy(bytes);
    if (plan.copy_rank == 0) {
        const bool streamed =
            is_streamed(plan, bytes, threads) && !are_in_caches(buffers.table, bytes);
        copy_span(buffers.table, buffers.source, bytes, threads, streamed);
        return;
    }
    const std::int64_t size = plan.copy_dims[0].size;
    const std::int64_t parts = std::min<std::int64_t>(threads, size);
    parallel_for(parts, [&](std::int64_t p) {
        const std::int64_t first = part_begin(p, size, parts);
        CopyDim dims[kMaxDims];
        std::copy_n(plan.copy_dims, plan.copy_rank, dims);
        dims[0].size = part_begin(p + 1, size, parts) - first;
        copy_dims(dims, plan.copy_rank, plan.copy_bytes,
                  buffers.table + first * dims[0].table_stride,
                  buffers.source + first * dims[0].source_stride);
    });
}

void copy_all(std::byte* to, const std::byte* from, std::int64_t bytes) {
    const int threads = threads_for_copy(bytes);
    const bool streamed = kernels().stream != nullptr && goes_past_caches(bytes, threads) &&
                          !are_in_caches(to, bytes);
    copy_span(to, from, bytes, threads, streamed);
}

}  // namespace dmlindex::cpu
