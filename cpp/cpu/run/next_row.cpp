#include "cpu/run/next_row.hpp"

#include <algorithm>
#include <cstdlib>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/rows.hpp"

namespace dmlindex::cpu {
namespace {

// The bytes of table, items and indices that the job goes through.
std::int64_t spanned_bytes(const Job& job, std::int64_t row_bytes) noexcept {
    std::int64_t bytes = row_bytes;
    for (const Dim* dim = job.dims; dim != job.dims + job.rank; ++dim) {
        const std::int64_t stride =
            std::abs(dim->table_stride) + std::abs(dim->item_stride) + std::abs(dim->index_stride);
        bytes += (dim->size - 1) * stride;
    }
    return bytes;
}

}  // namespace

NextRow::NextRow(const Job& job, std::int64_t positions) noexcept {
    if (job.coordinate_count != 1) return;
    const std::int64_t limit = job.coordinates[0].limit;
    const std::int64_t stride = std::abs(job.coordinates[0].table_stride);
    const std::int64_t most_bytes = std::min(caches().l2_bytes / 4, positions * kCacheLineBytes);
    if (limit > most_bytes || limit * stride > most_bytes) return;
    const std::int64_t bytes = (limit - 1) * stride + job.slice_bytes;
    // Before all of it is too much for the caches, they begin to lose parts.
    if (spanned_bytes(job, bytes) <= caches().far_bytes / 4 * 3) return;
    if (bytes > kNearBytes) {
        // Lines that no position needs are fetched for nothing, and the fewer positions there are,
        // the more. Most of those in runs need the line that the one before needed.
        const bool repeat = std::any_of(job.dims, job.dims + job.rank,
                                        [&](const Dim& dim) { return has_repeats(job, dim, 2); });
        if (bytes * (repeat ? 4 : 2) > positions * kCacheLineBytes) return;
    }
    bytes_ = bytes;
}

}  // namespace dmlindex::cpu
