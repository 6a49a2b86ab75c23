#include <algorithm>
#include <cassert>
#include <memory>
#include <new>

#include "cpu/kernels/carry.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/run/free_dims.hpp"
#include "cpu/run/in_one.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/lines_trial.hpp"
#include "cpu/run/next_row.hpp"
#include "cpu/run/rows.hpp"
#include "cpu/run/tiles.hpp"
#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {
namespace {

// Positions resolved at a time where other dims use the same indices over again: a quarter of L2,
// to resolve them once.
constexpr std::int64_t kSharedPositions = 16384;

// Whether packed items come from, or go to, places that follow each other: a run of consecutive
// indices is a slice. Most others are told by the last place.
bool follow_each_other(const Block& block) noexcept {
    if (block.count < 2) return false;
    const std::int64_t last = block.count - 1;
    const std::int64_t first = block.offsets[0];
    if (first == kSkipped || block.offsets[last] != first + last * block.slice_bytes) return false;
#pragma GCC unroll 4
    for (std::int64_t i = 1; i < last; ++i) {
        if (block.offsets[i] != block.offsets[i - 1] + block.slice_bytes) return false;
    }
    return true;
}

// Resolves a block of positions, then moves it along all free dims, and so on.
bool execute_in_blocks(const Job& job, const Partition& parts, const Tile& tile) noexcept {
    const Dim* const dims = job.dims + parts.before;
    const bool linear = items_are_linear(dims, parts.positions_rank);
    const bool filtered = job.first_offset != kSkipped;
    const bool compressed = filtered && job.compress != nullptr && parts.free_count == 1;
    alignas(kCacheLineBytes) std::byte own_items[kBlockPositions * kElementBytes];

    alignas(kCacheLineBytes) std::int64_t near_offsets[kBlockPositions];
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

    const Dim last = parts.positions_rank > 0 ? dims[parts.positions_rank - 1] : Dim{1, 0, 0, 0};

    PositionWalker walker(dims, tile.dim + 1, 0);
    const bool by_rows = parts.positions_rank > 1 && tile.at == nullptr;
    const NextRow next_row(job, by_rows ? last.size : 0);

    // Of what comes from memory as much as it is taken in turns, or a row.
    constexpr std::int64_t kPiecePositions = kBlockPositions / 4;
    constexpr std::int64_t kPieceBytes = 2048;
    // Of updates that come from memory, the hardware foresees too little while their indices are
    // resolved. They are asked for a block ahead, and little by little: many at once would wait for
    // each other. Where the table has lines to be asked for, too, blocks stay as they are.
    const bool fetches_items = job.direction == Direction::kScatter && linear &&
                               job.slice_bytes <= kElementBytes &&
                               last.item_stride == job.slice_bytes && job.items_are_far;
    const bool waits_for_items =
        fetches_items && !job.far && (!next_row.is_fetched() || last.size > kBlockPositions) &&
        (tile.row_places <= kPiecePositions || tile.row_places * job.slice_bytes <= kPieceBytes);
    // Where indices and short rows of the table come from memory, these stop to be read while
    // indices are resolved, and those while items are moved: by turns in short pieces it goes on
    // with both.
    const bool reads_both =
        job.direction == Direction::kGather && tile.at != nullptr && (job.far || job.items_are_far);
    if (waits_for_items || reads_both) capacity = std::max(kPiecePositions, tile.row_places);
    const std::int64_t item_bytes = fetches_items ? capacity * job.slice_bytes : 0;
    const std::int64_t ahead_bytes = waits_for_items ? item_bytes : 0;

    Carry carry;
    LinesTrial<> trial(parts.free_count == 1 && LinesTrial<>::pays(job, parts.positions));
    while (!walker.at_end()) {
        const std::int64_t first_item = walker.item_offset();
        fetch_span(job.buffers.items + first_item + ahead_bytes, item_bytes);
        std::int64_t count = 0;
        do {
            const std::int64_t rows =
                std::min({(capacity - count) / tile.row_places, walker.left_in_run(), tile.rows});
            const IndexRun run = index_run(job, tile, last, walker, rows);
            if (!job.resolve(run, offsets + count)) return false;
            count += run.count;
            walker.advance(rows);
        } while (linear && capacity - count >= tile.row_places && !walker.at_end());
        const bool goes_on = last.size > capacity && walker.left_in_run() < last.size;
        const std::byte* const next =
            walker.at_end() || goes_on ? nullptr : job.buffers.table + walker.table_offset();
        std::byte* items = job.buffers.items + first_item;
        std::int64_t item_stride = last.item_stride;
        if (compressed) {
            count = job.compress({offsets, count, items, item_stride}, job.first_offset,
                                 job.last_offset, own_items);
            items = own_items;
            item_stride = job.slice_bytes;
        } else if (filtered) {
            skip_outside(offsets, count, job.first_offset, job.last_offset);
        }
        trial.each_piece({job.buffers.table, offsets, count, items, item_stride, job.slice_bytes,
                          job.element_bytes, job.far, job.fill, job.byte_table, job.asks_for_items},
                         [&](const Block& block) {
                             next_row.each_piece(
                                 next, block.count, [&](std::int64_t first, std::int64_t piece) {
                                     move_block(job, parts, piece_of(block, first, piece), carry);
                                     return true;
                                 });
                         });
    }
    if (job.stream != nullptr) kernels().fence();
    return true;
}

}  // namespace

void deliver(const Job& job, const Block& block, Carry& carry) noexcept {
    const bool packed = block.item_stride == block.slice_bytes;
    if (packed && follow_each_other(block)) {
        Block slice = block;
        slice.slice_bytes *= block.count;
        slice.count = 1;
        slice.all_lines = false;
        job.stream != nullptr ? job.stream(slice, carry) : job.move_any_size(slice);
    } else if (packed && job.stream != nullptr) {
        job.stream(block, carry);
    } else {
        (block.slice_bytes == job.slice_bytes ? job.move : job.move_any_size)(block);
    }
}

bool execute(const Job& job) noexcept {
    assert(job.slice_bytes > 0);
    assert(!job.whole_elements || job.slice_bytes % job.element_bytes == 0);
    assert(std::all_of(job.dims, job.dims + job.rank, [](const Dim& dim) { return dim.size > 0; }));
    const Partition parts = partition(job);
    const Dim* const dims = job.dims + parts.before;
    if (const auto good = execute_in_one(job, parts)) return *good;
    if (parts.free_count == 1) {
        if (const auto good = execute_in_rows(job, dims, parts.positions_rank)) return *good;
    }
    alignas(kCacheLineBytes) std::int64_t places[kBlockPositions];
    const Tile tile = rows_together(dims, parts.positions_rank, places);
    if (const auto good = look_up_placed(job, parts, tile)) return *good;
    return execute_in_blocks(job, parts, tile);
}

}  // namespace dmlindex::cpu
