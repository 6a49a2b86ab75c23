#include "cpu/run/split.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdlib>

#include "cpu/kernels/caches.hpp"
#include "parallel/parallel.hpp"

namespace dmlindex::cpu {
namespace {

// Whether parts of a scatter's dim write to every row of the table that indices lead to.
bool is_in_every_row(const Job& job, const Dim& dim) noexcept {
    return job.direction == Direction::kScatter &&
           std::any_of(job.coordinates, job.coordinates + job.coordinate_count,
                       [&](const Coordinate& one) {
                           return std::abs(one.table_stride) > std::abs(dim.table_stride);
                       });
}

// How many parts threads can make of a dim. Where they write to the same cache lines they wait for
// each other, far longer than they gain; and where each writes into every row, what the hardware
// fetches behind the part of one belongs to another.
std::int64_t most_parts(const Job& job, const Dim& dim) noexcept {
    constexpr std::int64_t kPartOfRowBytes = 1024;
    if (job.direction == Direction::kGather || dim.table_stride == 0) return dim.size;
    const std::int64_t least = is_in_every_row(job, dim) ? kPartOfRowBytes : kCacheLineBytes;
    return std::min(dim.size, dim.size * std::abs(dim.table_stride) / least);
}

// How many parts threads can make of a slice of so many grains. For a scatter's the same holds, and
// its rows are moved quicker.
std::int64_t most_parts_of_slice(const Job& job, std::int64_t grains) noexcept {
    constexpr std::int64_t kPartOfSliceBytes = 8192;
    if (job.direction == Direction::kGather) return grains;
    return std::min(grains, job.slice_bytes / kPartOfSliceBytes);
}

// Pieces of at least a cache line, which every kernel takes. They end anywhere where just bytes are
// moved, as one element may be the whole slice; else between elements.
std::int64_t grain_bytes_of(const Job& job) noexcept {
    if (!job.whole_elements) return kCacheLineBytes;
    const std::int64_t elements = (kCacheLineBytes + job.element_bytes - 1) / job.element_bytes;
    return elements * job.element_bytes;
}

}  // namespace

Split choose_split(const Job& job, int threads) noexcept {
    // A small table's rows are in both threads' caches: their parts of it are better apart.
    const bool is_near = 4 * job.reached <= caches().l2_bytes;
    Split best;
    Split in_near_rows;
    for (int d = 0; d < job.rank; ++d) {
        if (!independent(job, job.dims[d])) continue;
        const std::int64_t parts = most_parts(job, job.dims[d]);
        Split& split = is_near && is_in_every_row(job, job.dims[d]) ? in_near_rows : best;
        if (parts > split.parts) split = {d, job.dims[d].size, 0, parts};
        if (best.parts >= 4 * threads) return best;
    }
    if (best.parts < threads && in_near_rows.parts > best.parts) best = in_near_rows;
    const std::int64_t grain_bytes = grain_bytes_of(job);
    const std::int64_t grains = job.slice_bytes / grain_bytes;
    const std::int64_t parts = most_parts_of_slice(job, grains);
    if (best.parts < threads && parts > best.parts) best = {job.rank, grains, grain_bytes, parts};
    return best;
}

Job cut_out(const Job& whole, const Split& split, std::int64_t first, std::int64_t last) noexcept {
    assert(first < last && last <= split.size);
    Job part = whole;
    if (split.dim < whole.rank) {
        Dim& dim = part.dims[split.dim];
        dim.size = last - first;
        part.buffers.table += first * dim.table_stride;
        part.buffers.items += first * dim.item_stride;
        part.buffers.indices += first * dim.index_stride;
    } else {
        const std::int64_t begin = first * split.grain_bytes;
        const std::int64_t end = last < split.size ? last * split.grain_bytes : whole.slice_bytes;
        part.slice_bytes = end - begin;
        part.buffers.table += begin;
        part.buffers.items += begin;
    }
    return part;
}

Job part_of(const Job& whole, const Split& split, std::int64_t part, std::int64_t parts) noexcept {
    if (parts == 1) return whole;
    return cut_out(whole, split, part_begin(part, split.size, parts),
                   part_begin(part + 1, split.size, parts));
}

bool execute_parts(const Job& job, const Split& split, int threads) {
    const std::int64_t parts = std::min<std::int64_t>(threads, split.parts);
    std::atomic<bool> all_good{true};
    parallel_for(parts, [&](std::int64_t p) {
        if (!execute(part_of(job, split, p, parts)))
            all_good.store(false, std::memory_order_relaxed);
    });
    return all_good.load();
}

}  // namespace dmlindex::cpu
