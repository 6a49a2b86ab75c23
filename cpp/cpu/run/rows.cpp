#include "cpu/run/rows.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {

// Each is the next one. The C library compares as many bytes at a time as the machine can.
bool is_one_index(const std::byte* indices, std::int64_t index_bytes, std::int64_t count) noexcept {
    return std::memcmp(indices, indices + index_bytes,
                       static_cast<std::size_t>((count - 1) * index_bytes)) == 0;
}

bool has_repeats(const Job& job, const Dim& run, std::int64_t in_a_row) noexcept {
    constexpr std::int64_t kLooks = 16;
    const std::int64_t bytes = job.coordinate_count * job.index_bytes;
    if (run.size < kLooks * in_a_row || run.index_stride != bytes) return false;
    std::int64_t misses = 0;
    for (std::int64_t k = 0; k < kLooks && misses < kLooks / 4; ++k) {
        const std::byte* const indices = job.buffers.indices + k * (run.size / kLooks) * bytes;
        misses += is_one_index(indices, bytes, in_a_row) ? 0 : 1;
    }
    return misses < kLooks / 4;
}

bool neighbours_share_rows(const Job& job) noexcept {
    constexpr std::int64_t kLooks = 16;
    const Dim& walk = job.dims[job.rank - 2];
    const Dim& column = job.dims[job.rank - 1];
    std::int64_t shared = 0;
    for (std::int64_t k = 0; k < kLooks; ++k) {
        const std::byte* const indices = job.buffers.indices +
                                         k * walk.size / kLooks * walk.index_stride +
                                         k * (column.size - 2) / kLooks * column.index_stride;
        const IndexRun two{indices, column.index_stride, 2, 0, 0, job.coordinates, 1};
        std::int64_t rows[2];
        shared += job.resolve(two, rows) && rows[0] == rows[1] ? 1 : 0;
    }
    return 2 * shared >= kLooks;
}

bool has_whole_rows(const Job& job, const Dim* dims, int rank) noexcept {
    constexpr std::int64_t kRowPositions = 8;
    if (rank == 0 || job.coordinate_count != 1 || job.first_offset != kSkipped) return false;
    const Dim& run = dims[rank - 1];
    return run.size >= kRowPositions && run.index_stride == job.index_bytes &&
           run.table_stride == job.slice_bytes && run.item_stride == job.slice_bytes &&
           is_one_index(job.buffers.indices, job.index_bytes, run.size);
}

std::optional<bool> execute_in_rows(const Job& job, const Dim* dims, int rank) noexcept {
    if (!has_whole_rows(job, dims, rank)) return std::nullopt;
    alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
    const auto move = [&](MoveKernel kernel, const IndexRun& run, std::byte* items,
                          std::int64_t item_stride, std::int64_t bytes) {
        if (!job.resolve(run, offsets)) return false;
        kernel({job.buffers.table, offsets, run.count, items, item_stride, bytes, job.element_bytes,
                job.far, job.fill, job.byte_table, job.asks_for_items});
        return true;
    };
    const Dim& row = dims[rank - 1];
    for (PositionWalker rows(dims, rank - 1, 0); !rows.at_end();) {
        IndexRun run =
            rows.index_run(job.buffers.indices, 0, job.coordinates, job.coordinate_count);
        std::byte* items = job.buffers.items + rows.item_offset();
        const std::int64_t most = std::min(rows.left_in_run(), kBlockPositions);
        const std::byte* indices = run.indices;
        while (run.count < most && is_one_index(indices, job.index_bytes, row.size)) {
            indices += run.index_stride;
            ++run.count;
        }
        rows.advance(std::max<std::int64_t>(run.count, 1));
        if (run.count > 0) {
            if (!move(job.move_any_size, run, items, rows.run().item_stride,
                      row.size * job.slice_bytes))
                return false;
            continue;
        }
        run.index_stride = job.index_bytes;
        run.table_stride = row.table_stride;
        for (std::int64_t left = row.size; left > 0; left -= run.count) {
            run.count = std::min(left, kBlockPositions);
            if (!move(job.move, run, items, job.slice_bytes, job.slice_bytes)) return false;
            run.indices += run.count * run.index_stride;
            run.table_offset += run.count * run.table_stride;
            items += run.count * job.slice_bytes;
        }
    }
    return true;
}

}  // namespace dmlindex::cpu
