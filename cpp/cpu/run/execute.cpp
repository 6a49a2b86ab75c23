#include <algorithm>
#include <cassert>
#include <memory>
#include <new>
#include <optional>

#include "cpu/kernels/carry.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/run/free_dims.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/lines_trial.hpp"
#include "cpu/run/next_row.hpp"
#include "cpu/run/rows.hpp"
#include "cpu/run/shuffled_rows.hpp"
#include "cpu/run/strips.hpp"
#include "cpu/run/tiles.hpp"
#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {
namespace {

// Rows of fewer positions are not looked up one by one; the second, where the table's row lies in
// a few registers.
constexpr std::int64_t kShortRow = 64;
constexpr std::int64_t kShortRowInRegisters = 32;
constexpr std::int64_t kFewRegistersBytes = 256;

// Positions resolved at a time where other dims use the same indices over again: a quarter of L2,
// to resolve them once.
constexpr std::int64_t kSharedPositions = 16384;

// Whether the items lie at a constant stride along all positions, so that a block may cross runs.
bool items_are_linear(const Dim* dims, int rank) noexcept {
    for (int d = 0; d + 1 < rank; ++d) {
        if (dims[d].item_stride != dims[d + 1].item_stride * dims[d + 1].size) return false;
    }
    return true;
}

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

// Whether indices that rows of the table share are looked up in each of the rows, too long to be
// shuffled, rather than resolved for all of them. That takes longer for elements of which several
// are packed into a register, and for large ones.
bool looks_up_shared(const Job& job, std::int64_t size, bool in_registers) noexcept {
    constexpr std::int64_t kAsOneBlock = 256;
    constexpr std::int64_t kLeastBytes = 3;
    constexpr std::int64_t kMostBytes = 8;
    if (in_registers || size <= kAsOneBlock) return size >= kShortRow;
    return job.slice_bytes >= kLeastBytes && job.slice_bytes <= kMostBytes;
}

// Whether every run is a packed row of indices, each of which takes one element of a packed row of
// the table.
bool can_look_up(const Job& job, const Partition& parts) noexcept {
    if (job.look_up == nullptr || parts.behind > 0 || parts.positions_rank == 0) return false;
    const Dim& run = job.dims[job.rank - 1];
    if (run.index_stride != job.index_bytes || run.table_stride != 0 ||
        run.item_stride != job.slice_bytes) {
        return false;
    }
    if (parts.free_count == 1 && parts.positions_rank == 1) return run.size >= kLookUpStep;
    const bool in_registers = goes_in_registers(kernels(), look_up_run(job));
    if (parts.free_count > 1)
        return looks_up_shared(job, run.size, in_registers) && !shuffles_short_rows(job, parts);
    const bool in_few =
        in_registers && job.coordinates[0].limit * job.slice_bytes <= kFewRegistersBytes;
    return run.size >= (in_few ? kShortRowInRegisters : kShortRow);
}

// As can_look_up(), for a scatter or a reduction of all updates. Short rows go together.
bool can_update(const Job& job, const Partition& parts) noexcept {
    constexpr std::int64_t kShortUpdates = 128;
    constexpr std::int64_t kReducedInARegister = 4;  // so many updates of one place
    if (job.update == nullptr || parts.free_count > 1 || job.first_offset != kSkipped) return false;
    const Dim& run = job.dims[job.rank - 1];
    return run.size >= kShortUpdates && run.index_stride == job.index_bytes &&
           run.table_stride == 0 && run.item_stride == job.slice_bytes &&
           !(job.reduces && has_repeats(job, run, kReducedInARegister));
}

// Resolves and moves in one: kernel is the job's look-up or its update.
template <class Kernel>
bool execute_in_one(const Job& job, Kernel kernel) noexcept {
    const Dim* const dims = job.dims;
    const int rank = job.rank;
    alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
    const NextRow next_row(job, dims[rank - 1].size);
    const std::int64_t to_next = rank > 1 ? dims[rank - 2].table_stride : 0;
    std::int64_t at_once = kLookUpStep;
    for (PositionWalker walker(dims, rank, 0); !walker.at_end();) {
        const std::int64_t left = walker.left_in_run();
        IndexRun run =
            walker.index_run(job.buffers.indices, left, job.coordinates, job.coordinate_count);
        std::byte* items = job.buffers.items + walker.item_offset();
        std::byte* const table = job.buffers.table + run.table_offset;
        std::int64_t moved = 0;
        next_row.each_piece(to_next != 0 ? table + to_next : nullptr, left,
                            [&](std::int64_t, std::int64_t count) {
                                run.count = count;
                                const std::int64_t found = kernel(run, table, items);
                                run.indices += found * job.index_bytes;
                                items += found * job.slice_bytes;
                                moved += found;
                                return found == count;
                            });
        walker.advance(moved);
        if (moved == left) continue;
        // Some are out of range, and need the mode: ever more go that way while there are few
        // others between them.
        constexpr std::int64_t kFewBetween = 256;
        at_once = moved < kFewBetween ? std::min(4 * at_once, kBlockPositions) : kLookUpStep;
        const std::int64_t count = run.count = std::min(left - moved, at_once);
        if (!job.resolve(run, offsets)) return false;
        job.move({job.buffers.table, offsets, count, items, job.slice_bytes, job.slice_bytes,
                  job.element_bytes, job.far, job.fill, job.byte_table});
        walker.advance(count);
    }
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

bool goes_in_strips(const Job& job) noexcept {
    return Strips::pay(job) && partition(job).free_count == 1 &&
           !has_whole_rows(job, job.dims, job.rank);
}

bool execute(const Job& job) noexcept {
    assert(job.slice_bytes > 0);
    assert(!job.whole_elements || job.slice_bytes % job.element_bytes == 0);
    assert(std::all_of(job.dims, job.dims + job.rank, [](const Dim& dim) { return dim.size > 0; }));
    const Partition parts = partition(job);
    const Dim* const dims = job.dims + parts.before;
    if (can_look_up(job, parts)) return execute_in_one(job, job.look_up);
    if (can_update(job, parts)) {
        return execute_in_one(job, [&](const IndexRun& run, std::byte* table, std::byte* items) {
            return job.update(run, table, items, job.far);
        });
    }
    if (parts.free_count == 1) {
        if (const auto good = execute_in_rows(job, dims, parts.positions_rank)) return *good;
        if (Strips::pay(job)) {
            Strips strips(job, false);
            if (strips.has_memory()) return strips.hold_and_move();
        }
    }
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

    // Rows of the last dims that are taken together, or just the last dim.
    Tile tile{parts.positions_rank - 1, capacity, 1};
    alignas(kCacheLineBytes) std::int64_t places[kBlockPositions];
    if (parts.positions_rank > 1 && 2 * dims[tile.dim].size <= kBlockPositions) {
        tile = tile_of(dims, parts.positions_rank, kBlockPositions);
        if (tile.row_places > 1) write_places(dims, parts.positions_rank, tile, places);
    }
    const Dim last = parts.positions_rank > 0 ? dims[parts.positions_rank - 1] : Dim{1, 0, 0, 0};

    PositionWalker walker(dims, tile.dim + 1, 0);
    const bool by_rows = parts.positions_rank > 1 && tile.row_places == 1;
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
    const bool reads_both = job.direction == Direction::kGather && tile.row_places > 1 &&
                            (job.far || job.items_are_far);
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
            IndexRun run = walker.index_run(job.buffers.indices, rows * tile.row_places,
                                            job.coordinates, job.coordinate_count);
            run.index_stride = last.index_stride;
            if (tile.row_places > 1) {
                run.places = places;
                run.in_long_row = false;
            }
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
                          job.element_bytes, job.far, job.fill, job.byte_table},
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

}  // namespace dmlindex::cpu
