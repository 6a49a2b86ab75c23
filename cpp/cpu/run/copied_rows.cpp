#include "cpu/run/copied_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/copy_source.hpp"
#include "cpu/run/split.hpp"
#include "parallel/parallel.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// What is copied at a time: little enough for L2, enough for the hardware to foresee it.
std::int64_t piece_bytes() noexcept { return caches().l2_bytes / 16; }
std::int64_t most_row_bytes() noexcept { return caches().l2_bytes / 4; }

// From one row of the table to the next, where each step along the first dim has one to itself; 0
// elsewhere.
std::int64_t row_bytes_of(const Plan& plan) noexcept {
    if (plan.rank == 0 || plan.copy_rank != 0) return 0;
    const std::int64_t row_bytes = plan.dims[0].table_stride;
    const bool backwards =
        std::any_of(plan.coordinates, plan.coordinates + plan.coordinate_count,
                    [](const Coordinate& one) { return one.table_stride < 0; }) ||
        std::any_of(plan.dims, plan.dims + plan.rank,
                    [](const Dim& dim) { return dim.table_stride < 0; });
    const std::int64_t used = reached_bytes(plan) + spread_bytes(plan.dims + 1, plan.rank - 1);
    return backwards || used > row_bytes ? 0 : row_bytes;
}

void copy(const Buffers& buffers, std::int64_t first, std::int64_t last) noexcept {
    std::memcpy(buffers.table + first, buffers.source + first,
                static_cast<std::size_t>(last - first));
}

}  // namespace

bool goes_by_copied_rows(const Plan& plan) noexcept {
    const std::int64_t row_bytes = row_bytes_of(plan);
    if (row_bytes == 0 || row_bytes > most_row_bytes() || copy_is_streamed(plan)) return false;
    if (plan.dims[0].size * row_bytes < plan.copy_bytes - plan.copy_bytes / 8) return false;
    const std::int64_t bytes = 2 * plan.copy_bytes + position_count(plan) * plan.slice_bytes +
                               index_count(plan) * index_bytes(plan.index_type);
    return bytes > 2 * caches().far_bytes;
}

bool execute_copied_rows(const Plan& plan, const Job& job, int threads) {
    const std::int64_t row_bytes = row_bytes_of(plan);
    const std::int64_t rows = plan.dims[0].size;
    const std::int64_t at_once = std::max<std::int64_t>(piece_bytes() / row_bytes, 1);
    const Split along_rows{0, rows, 0, rows};
    const std::int64_t parts = std::min<std::int64_t>(threads, rows);
    std::atomic<bool> all_good{true};
    parallel_for(parts, [&](std::int64_t p) {
        const std::int64_t end = part_begin(p + 1, rows, parts);
        for (std::int64_t first = part_begin(p, rows, parts); first < end; first += at_once) {
            const std::int64_t last = std::min(first + at_once, end);
            // What lies behind the last row has no updates.
            copy(job.buffers, first * row_bytes, last < rows ? last * row_bytes : plan.copy_bytes);
            if (!execute(cut_out(job, along_rows, first, last))) {
                all_good.store(false, std::memory_order_relaxed);
                return;
            }
        }
    });
    return all_good.load();
}

}  // namespace dmlindex::cpu
