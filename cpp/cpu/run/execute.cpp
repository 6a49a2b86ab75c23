#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "cpu/kernels/carry.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/strips.hpp"

namespace dmlindex::cpu {
namespace {

// Positions resolved at a time: their offsets fill a quarter of L1.
constexpr std::int64_t kBlockPositions = 1024;
// … and where other dims use the same indices over again: a quarter of L2, to resolve them once.
constexpr std::int64_t kSharedPositions = 16384;

// dims = [free dims before][position dims][free dims behind]. Along a free dim the index stays the
// same and the order does not matter; the position dims are those that indices are resolved for.
struct Partition {
    int before;
    int behind;
    int positions_rank;
    std::int64_t positions;
    std::int64_t free_count;
};

Partition partition(const Job& job) noexcept {
    const auto is_free = [&](const Dim& dim) {
        return dim.index_stride == 0 && independent(job, dim);
    };
    Partition parts{0, 0, 0, 1, 1};
    while (parts.behind < job.rank && is_free(job.dims[job.rank - 1 - parts.behind]))
        ++parts.behind;
    while (parts.before < job.rank - parts.behind && is_free(job.dims[parts.before]))
        ++parts.before;
    parts.positions_rank = job.rank - parts.before - parts.behind;
    for (int d = 0; d < job.rank; ++d) {
        const bool position = d >= parts.before && d < job.rank - parts.behind;
        (position ? parts.positions : parts.free_count) *= job.dims[d].size;
    }
    return parts;
}

// Whether the items lie at a constant stride along all positions, so that a block may cross runs.
bool items_are_linear(const Dim* dims, int rank) noexcept {
    for (int d = 0; d + 1 < rank; ++d) {
        if (dims[d].item_stride != dims[d + 1].item_stride * dims[d + 1].size) return false;
    }
    return true;
}

// Skips what another thread moves.
void skip_foreign(const Job& job, std::int64_t* offsets, std::int64_t count) noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
        const bool own = offsets[i] >= job.first_offset && offsets[i] < job.last_offset;
        offsets[i] = own ? offsets[i] : kSkipped;
    }
}

// Whether packed items come from, or go to, places that follow each other: a run of consecutive
// indices is a slice. Random ones are told by the first look.
bool follow_each_other(const Block& block) noexcept {
    for (std::int64_t i = 1; i < block.count; ++i) {
        if (block.offsets[i] != block.offsets[i - 1] + block.slice_bytes) return false;
    }
    return block.count > 1 && block.offsets[0] != kSkipped;
}

// Moves a block, past the caches if the result is large.
void deliver(const Job& job, Block block, Carry& carry) noexcept {
    const bool packed = block.item_stride == block.slice_bytes;
    if (packed && follow_each_other(block)) {
        block.slice_bytes *= block.count;
        block.count = 1;
    }
    if (packed && job.stream != nullptr) {
        job.stream(block, carry);
    } else {
        (block.slice_bytes == job.slice_bytes ? job.move : job.move_any_size)(block);
    }
}

// How much of the table a row of so many indices may touch, if that is worth fetching a row ahead:
// there are as many indices as cache lines, and they are not too many. Else 0.
std::int64_t fetched_row_bytes(const Job& job, std::int64_t positions) noexcept {
    constexpr std::int64_t kMostBytes = 16 << 10;
    const std::int64_t most_bytes = std::min(kMostBytes, positions * kCacheLineBytes);
    if (job.coordinate_count != 1) return 0;
    const Coordinate& coordinate = job.coordinates[0];
    if (coordinate.limit > most_bytes ||
        coordinate.limit * std::abs(coordinate.table_stride) > most_bytes)
        return 0;
    return (coordinate.limit - 1) * std::abs(coordinate.table_stride) + job.slice_bytes;
}

// Moves a block along every free dim: all of its positions at once, or, where the innermost free
// dim is longer than the block, position by position along that dim.
void move_block(const Job& job, const Partition& parts, const Block& block, Carry& carry) noexcept {
    if (parts.free_count == 1) {
        deliver(job, block, carry);
        return;
    }
    Dim free_dims[kMaxDims];
    int rank = 0;
    for (int d = 0; d < parts.before; ++d) free_dims[rank++] = job.dims[d];
    for (int d = job.rank - parts.behind; d < job.rank; ++d) free_dims[rank++] = job.dims[d];

    const Dim inner = free_dims[rank - 1];
    const bool along_inner = parts.behind > 0 && job.copy != nullptr && inner.size > block.count;
    if (along_inner) --rank;
    const std::int64_t row_bytes =
        parts.before > 0 && parts.behind == 0 ? fetched_row_bytes(job, block.count) : 0;
    for (PositionWalker walker(free_dims, rank, 0); !walker.at_end(); walker.advance(1)) {
        Block at = block;
        at.table += walker.table_offset();
        at.items += walker.item_offset();
        fetch_span(at.table + inner.table_stride, row_bytes);
        if (!along_inner) {
            deliver(job, at, carry);
        } else {
            for (std::int64_t i = 0; i < at.count; ++i) {
                std::byte* table = at.table + at.offsets[i];
                std::byte* item = at.items + i * at.item_stride;
                if (job.direction == Direction::kGather) {
                    job.copy(item, inner.item_stride, table, inner.table_stride, inner.size,
                             at.slice_bytes);
                } else {
                    job.copy(table, inner.table_stride, item, inner.item_stride, inner.size,
                             at.slice_bytes);
                }
            }
        }
    }
}

// Whether every run is a packed row of indices, each of which takes one element of a packed row of
// the table.
bool can_look_up(const Job& job, const Partition& parts) noexcept {
    if (job.look_up == nullptr || parts.free_count != 1 || parts.positions_rank == 0) return false;
    const Dim& run = job.dims[parts.before + parts.positions_rank - 1];
    return run.size >= kLookUpStep && run.index_stride == job.index_bytes &&
           run.table_stride == 0 && run.item_stride == job.slice_bytes;
}

bool look_up(const Job& job, const Dim* dims, int rank) noexcept {
    std::int64_t offsets[kLookUpStep];
    const std::int64_t row_bytes = fetched_row_bytes(job, dims[rank - 1].size);
    const std::int64_t next_row = rank > 1 ? dims[rank - 2].table_stride : 0;
    for (PositionWalker walker(dims, rank, 0); !walker.at_end();) {
        IndexRun run{job.buffers.indices + walker.index_offset(),
                     job.index_bytes,
                     walker.left_in_run(),
                     walker.table_offset(),
                     0,
                     job.coordinates,
                     job.coordinate_count};
        std::byte* items = job.buffers.items + walker.item_offset();
        if (next_row != 0) fetch_span(job.buffers.table + run.table_offset + next_row, row_bytes);
        std::int64_t count = job.look_up(run, job.buffers.table + run.table_offset, items);
        walker.advance(count);
        if (count == run.count) continue;
        // The last few, or some that are out of range and need the mode.
        run.indices += count * job.index_bytes;
        items += count * job.slice_bytes;
        count = run.count = std::min(run.count - count, kLookUpStep);
        if (!job.resolve(run, offsets)) return false;
        job.move({job.buffers.table, offsets, count, items, job.slice_bytes, job.slice_bytes,
                  job.element_bytes, job.far, job.fill, nullptr});
        walker.advance(count);
    }
    return true;
}

// Whether a packed row of indices, of at least 8 bytes, is one index all along. Compares words, so
// that the compiler makes vectors of them, and a stretch of them at a time, as most rows differ
// early.
bool is_one_index(const std::byte* indices, std::int64_t index_bytes, std::int64_t count) noexcept {
    constexpr std::int64_t kWord = sizeof(std::uint64_t);
    constexpr std::int64_t kStretch = 64 * kWord;
    std::uint64_t first;  // as often as it fits
    for (std::int64_t at = 0; at < kWord; at += index_bytes) {
        std::memcpy(reinterpret_cast<std::byte*>(&first) + at, indices,
                    static_cast<std::size_t>(index_bytes));
    }
    const auto differs = [&](std::int64_t at) {
        std::uint64_t word;
        std::memcpy(&word, indices + at, kWord);
        return word ^ first;
    };
    const std::int64_t bytes = count * index_bytes;
    for (std::int64_t at = 0; at < bytes;) {
        std::uint64_t any = differs(bytes - kWord);
        const std::int64_t end = std::min(at + kStretch, bytes - bytes % kWord);
        if (end <= at) return any == 0;
        for (; at < end; at += kWord) any |= differs(at);
        if (any != 0) return false;
    }
    return true;
}

// Whether the runs are packed rows in table, items and indices, and the first of them has one index
// all along, as rows have whose index was expanded to them.
bool has_whole_rows(const Job& job, const Partition& parts) noexcept {
    constexpr std::int64_t kRowPositions = 8;
    if (parts.positions_rank == 0 || job.coordinate_count != 1 || job.first_offset != kSkipped)
        return false;
    const Dim& run = job.dims[parts.before + parts.positions_rank - 1];
    return run.size >= kRowPositions && run.index_stride == job.index_bytes &&
           run.table_stride == job.slice_bytes && run.item_stride == job.slice_bytes &&
           is_one_index(job.buffers.indices, job.index_bytes, run.size);
}

// Rows of one index move as one slice each, all that follow each other at once; others as they
// come.
bool execute_rows(const Job& job, const Dim* dims, int rank) noexcept {
    std::int64_t offsets[kBlockPositions];
    const auto move = [&](MoveKernel kernel, const IndexRun& run, std::byte* items,
                          std::int64_t item_stride, std::int64_t bytes) {
        if (!job.resolve(run, offsets)) return false;
        kernel({job.buffers.table, offsets, run.count, items, item_stride, bytes, job.element_bytes,
                job.far, job.fill, job.byte_table});
        return true;
    };
    const Dim& row = dims[rank - 1];
    for (PositionWalker rows(dims, rank - 1, 0); !rows.at_end();) {
        IndexRun run{job.buffers.indices + rows.index_offset(),
                     rows.run().index_stride,
                     0,
                     rows.table_offset(),
                     rows.run().table_stride,
                     job.coordinates,
                     job.coordinate_count};
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

}  // namespace

PositionWalker::PositionWalker(const Dim* dims, int rank, std::int64_t first_position) noexcept
    : dims_(dims), row_rank_(rank > 0 ? rank - 1 : 0) {
    if (rank > 0) {
        run_ = dims[rank - 1];
        along_ = first_position % run_.size;
        first_position /= run_.size;
    }
    for (int d = row_rank_ - 1; d >= 0; --d) {
        counter_[d] = first_position % dims[d].size;
        first_position /= dims[d].size;
        row_.table_stride += counter_[d] * dims[d].table_stride;
        row_.item_stride += counter_[d] * dims[d].item_stride;
        row_.index_stride += counter_[d] * dims[d].index_stride;
    }
}

void PositionWalker::advance(std::int64_t count) noexcept {
    along_ += count;
    if (along_ < run_.size) return;
    along_ = 0;
    for (int d = row_rank_ - 1; d >= 0; --d) {
        const Dim& dim = dims_[d];
        row_.table_stride += dim.table_stride;
        row_.item_stride += dim.item_stride;
        row_.index_stride += dim.index_stride;
        if (++counter_[d] < dim.size) return;
        counter_[d] = 0;
        row_.table_stride -= dim.size * dim.table_stride;
        row_.item_stride -= dim.size * dim.item_stride;
        row_.index_stride -= dim.size * dim.index_stride;
    }
    at_end_ = true;
}

bool execute(const Job& job) noexcept {
    assert(job.slice_bytes > 0);
    assert(!job.whole_elements || job.slice_bytes % job.element_bytes == 0);
    assert(std::all_of(job.dims, job.dims + job.rank, [](const Dim& dim) { return dim.size > 0; }));
    const Partition parts = partition(job);
    const Dim* const dims = job.dims + parts.before;
    if (can_look_up(job, parts)) return look_up(job, dims, parts.positions_rank);
    if (parts.free_count == 1) {
        if (has_whole_rows(job, parts)) return execute_rows(job, dims, parts.positions_rank);
        if (const std::optional<bool> good = execute_in_strips(job)) return *good;
    }
    const bool linear = items_are_linear(dims, parts.positions_rank);
    const bool filtered = job.first_offset != kSkipped;
    const bool compressed = filtered && job.compress != nullptr && parts.free_count == 1;
    std::byte own_items[kBlockPositions * kElementBytes];

    std::int64_t near_offsets[kBlockPositions];
    std::unique_ptr<std::int64_t[]> far_offsets;
    std::int64_t* offsets = near_offsets;
    std::int64_t capacity = kBlockPositions;
    if (parts.free_count > 1 && parts.positions > kBlockPositions) {
        far_offsets.reset(new (std::nothrow) std::int64_t[kSharedPositions]);
        if (far_offsets != nullptr) {
            offsets = far_offsets.get();
            capacity = kSharedPositions;
        }
    }

    PositionWalker walker(dims, parts.positions_rank, 0);
    const std::int64_t row_bytes =
        parts.positions_rank > 1 ? fetched_row_bytes(job, walker.run().size) : 0;
    Carry carry;
    while (!walker.at_end()) {
        const std::int64_t first_item = walker.item_offset();
        std::int64_t count = 0;
        do {
            const std::int64_t run = std::min(capacity - count, walker.left_in_run());
            const IndexRun indices{job.buffers.indices + walker.index_offset(),
                                   walker.run().index_stride,
                                   run,
                                   walker.table_offset(),
                                   walker.run().table_stride,
                                   job.coordinates,
                                   job.coordinate_count};
            if (!job.resolve(indices, offsets + count)) return false;
            count += run;
            walker.advance(run);
        } while (linear && count < capacity && !walker.at_end());
        if (!walker.at_end()) fetch_span(job.buffers.table + walker.table_offset(), row_bytes);
        std::byte* items = job.buffers.items + first_item;
        std::int64_t item_stride = walker.run().item_stride;
        if (compressed) {
            count = job.compress({offsets, count, items, item_stride}, job.first_offset,
                                 job.last_offset, own_items);
            items = own_items;
            item_stride = job.slice_bytes;
        } else if (filtered) {
            skip_foreign(job, offsets, count);
        }
        move_block(job, parts,
                   {job.buffers.table, offsets, count, items, item_stride, job.slice_bytes,
                    job.element_bytes, job.far, job.fill, job.byte_table},
                   carry);
    }
    if (job.stream != nullptr) kernels().fence();
    return true;
}

}  // namespace dmlindex::cpu
