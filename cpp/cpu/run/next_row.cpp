#include "cpu/run/next_row.hpp"

#include <cstdlib>

namespace dmlindex::cpu {

NextRow::NextRow(const Job& job, std::int64_t positions) noexcept {
    constexpr std::int64_t kMostBytes = 16 << 10;
    const std::int64_t most_bytes = std::min(kMostBytes, positions * kCacheLineBytes);
    if (job.coordinate_count != 1) return;
    const std::int64_t limit = job.coordinates[0].limit;
    const std::int64_t stride = std::abs(job.coordinates[0].table_stride);
    if (limit > most_bytes || limit * stride > most_bytes) return;
    const std::int64_t bytes = (limit - 1) * stride + job.slice_bytes;
    if (bytes + spread_bytes(job.dims, job.rank) > caches().l2_bytes) bytes_ = bytes;
}

}  // namespace dmlindex::cpu
