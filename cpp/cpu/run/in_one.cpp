#include "cpu/run/in_one.hpp"

#include <algorithm>

#include "cpu/kernels/moves.hpp"
#include "cpu/run/by_turns.hpp"
#include "cpu/run/fill.hpp"
#include "cpu/run/next_row.hpp"
#include "cpu/run/rows.hpp"
#include "cpu/run/shuffled_rows.hpp"
#include "cpu/run/tuples.hpp"

namespace dmlindex::cpu {
namespace {

// Rows of fewer positions are not looked up one by one.
constexpr std::int64_t kShortRow = 64;

// Nor are so few combined one by one.
constexpr std::int64_t kShortReduced = 128;

// Whether indices that rows of the table share are looked up in each of the rows, too long to be
// shuffled, rather than resolved for all of them. That takes longer for elements of which several
// are packed into a register, for large ones, and where kernels that look up one element after the
// other would do so for many rows.
bool looks_up_shared(const Job& job, const Partition& parts, std::int64_t size) noexcept {
    constexpr std::int64_t kAsOneBlock = 256;
    constexpr std::int64_t kLeastBytes = 3;
    constexpr std::int64_t kMostBytes = 8;
    constexpr std::int64_t kManyRows = 40;
    const LookUpRun run = look_up_run(job);
    if (goes_in_registers(kernels(), run)) return size >= kShortRow;
    if (kernels().small_table[run.slice_class] == 0 && parts.free_count >= kManyRows) return false;
    if (size <= kAsOneBlock) return size >= kShortRow;
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
    if (parts.free_count > 1)
        return looks_up_shared(job, parts, run.size) && !shuffles_short_rows(job, parts);
    return run.size >= kShortRow;
}

// Whether so many updates in a row go to one place that they had better stay in a register than be
// read back from memory by the next, though the end of each run is an unforeseen branch: but where
// all runs are as long.
bool stays_in_a_register(const Job& job, const Dim& run) noexcept {
    constexpr std::int64_t kPlaces = 4;
    constexpr std::int64_t kLooks = 64;
    constexpr std::int64_t kWorthManyLooks = 4096;
    if (run.size < kWorthManyLooks) return has_repeats(job, run, 4);
    if (!has_repeats(job, run, 2)) return false;
    std::int64_t ends = 0;
    std::int64_t length = 0;
    bool are_alike = true;
    for (std::int64_t k = 0; k < kPlaces; ++k) {
        const std::int64_t first = k * (run.size - kLooks) / (kPlaces - 1);
        std::int64_t offsets[kLooks];
        const std::byte* const indices = job.buffers.indices + first * run.index_stride;
        if (!job.resolve(
                {indices, run.index_stride, kLooks, 0, 0, job.coordinates, job.coordinate_count},
                offsets)) {
            return false;
        }
        std::int64_t last_end = 0;
        for (std::int64_t i = 1; i < kLooks; ++i) {
            if (offsets[i] == offsets[i - 1]) continue;
            ++ends;
            if (last_end != 0 && length == 0) length = i - last_end;
            if (last_end != 0) are_alike = are_alike && i - last_end == length;
            last_end = i;
        }
    }
    return ends * job.many_in_a_row <= kPlaces * kLooks || (length > 0 && are_alike);
}

// As can_look_up(), for a scatter or a reduction of all updates, or of one over and over. Short
// rows go together.
bool can_update(const Job& job, const Partition& parts) noexcept {
    constexpr std::int64_t kShortScattered = 64;
    constexpr std::int64_t kMostRepeatedBytes = 8;
    if (job.update == nullptr || parts.free_count > 1 || job.first_offset != kSkipped) return false;
    const Dim& run = job.dims[job.rank - 1];
    return run.size >= (job.reduces ? kShortReduced : kShortScattered) &&
           run.index_stride == job.index_bytes && run.table_stride == 0 &&
           (run.item_stride == job.slice_bytes ||
            (run.item_stride == 0 && job.slice_bytes <= kMostRepeatedBytes)) &&
           !(job.reduces && stays_in_a_register(job, run));
}

// As can_look_up(), for tuples of indices, which are gathered or scattered by.
bool can_flatten(const Job& job, const Partition& parts) noexcept {
    if (job.tuples.flatten == nullptr || parts.behind > 0 || parts.positions_rank == 0 ||
        parts.free_count > 1 || job.first_offset != kSkipped) {
        return false;
    }
    const Dim& run = job.dims[job.rank - 1];
    if (job.reduces) return run.size >= kShortReduced && !stays_in_a_register(job, run);
    return run.size >= (parts.positions_rank == 1 ? kLookUpStep : kShortRow);
}

// Whether neighbouring positions of a packed row read lines of their own, by some looks.
bool neighbours_are_apart(const Job& job, const Dim& run) noexcept {
    constexpr std::int64_t kLooks = 16;
    std::int64_t near = 0;
    for (std::int64_t k = 0; k < kLooks; ++k) {
        const std::byte* const indices =
            job.buffers.indices + k * (run.size - 2) / kLooks * job.index_bytes;
        std::int64_t at[2];
        if (!job.resolve({indices, job.index_bytes, 2, 0, 0, job.coordinates, 1}, at)) return false;
        const bool apart =
            at[0] != kSkipped && at[1] != kSkipped && std::abs(at[1] - at[0]) >= kCacheLineBytes;
        near += apart ? 0 : 1;
    }
    return near <= kLooks / 4;
}

// The look-up of a row; of many elements of a far table, by turns with the one that takes them
// singly, until it is known which is quicker.
class LookUp {
  public:
    explicit LookUp(const Job& job) noexcept : job_(job), turns_(gains_by_turns(job), 19) {}

    std::int64_t operator()(IndexRun run, std::byte* items) noexcept {
        run.fetches_table = job_.fetches_table;
        std::int64_t moved = 0;
        while (turns_.go_on() && run.count - moved >= kPiecePositions) {
            IndexRun piece = behind(run, moved);
            piece.count = kPiecePositions;
            std::int64_t found = 0;
            turns_.piece([&](bool singly) {
                found = move(piece, items + moved * job_.slice_bytes, singly);
                return found == kPiecePositions;
            });
            moved += found;
            if (found < kPiecePositions) return moved;
        }
        if (moved == run.count) return moved;
        return moved + move(behind(run, moved), items + moved * job_.slice_bytes,
                            turns_.other_is_quicker());
    }

  private:
    static constexpr std::int64_t kPiecePositions = 128;

    static bool gains_by_turns(const Job& job) noexcept {
        const Dim& run = job.dims[job.rank - 1];
        return job.look_up_singly != nullptr &&
               run.size >= 8 * ByTurns<>::kPieces * kPiecePositions &&
               neighbours_are_apart(job, run);
    }

    std::int64_t move(const IndexRun& run, std::byte* items, bool singly) const noexcept {
        const LookUpKernel kernel = singly ? job_.look_up_singly : job_.look_up;
        return kernel(run, job_.buffers.table + run.table_offset, items);
    }

    const Job& job_;
    ByTurns<> turns_;
};

// The update kernel for one item over and over, of which it gets some in a row.
class RepeatedUpdate {
  public:
    explicit RepeatedUpdate(const Job& job) noexcept : job_(job) {}

    std::int64_t operator()(const IndexRun& run, const std::byte* item) noexcept {
        const std::int64_t at_once = std::min(run.count, kBytes / job_.slice_bytes);
        if (item != item_ || at_once > count_) {
            fill(items_, item, job_.slice_bytes, at_once);
            item_ = item;
            count_ = at_once;
        }
        std::int64_t moved = 0;
        while (moved < run.count) {
            IndexRun piece = behind(run, moved);
            piece.count = std::min(piece.count, at_once);
            const std::int64_t found = job_.update(piece, job_.buffers.table + piece.table_offset,
                                                   items_, job_.asks_for_updates);
            moved += found;
            if (found < piece.count) break;
        }
        return moved;
    }

  private:
    static constexpr std::int64_t kBytes = 16 << 10;

    const Job& job_;
    const std::byte* item_ = nullptr;  // what is written out, and how many times
    std::int64_t count_ = 0;
    alignas(kCacheLineBytes) std::byte items_[kBytes];
};

// Calls kernel(run, items) for every tile, which moves as an UpdateKernel does.
template <class Kernel>
bool execute_tiles(const Job& job, const Tile& tile, Kernel kernel) noexcept {
    const Dim* const dims = job.dims;
    alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
    const Dim& last = dims[job.rank - 1];
    const std::int64_t item_stride = last.item_stride;
    const bool by_row = tile.at == nullptr;
    const NextRow next_row(job, by_row ? last.size : 0);
    const std::int64_t to_next = by_row && job.rank > 1 ? dims[job.rank - 2].table_stride : 0;
    std::int64_t at_once = kLookUpStep;
    for (PositionWalker walker(dims, tile.dim + 1, 0); !walker.at_end();) {
        const std::int64_t rows = std::min(walker.left_in_run(), tile.rows);
        IndexRun run = index_run(job, tile, last, walker, rows);
        std::byte* items = job.buffers.items + walker.item_offset();
        const std::byte* const next =
            to_next != 0 ? job.buffers.table + run.table_offset + to_next : nullptr;
        std::int64_t moved = 0;
        next_row.each_piece(next, run.count, [&](std::int64_t first, std::int64_t count) {
            IndexRun piece = behind(run, first);
            piece.count = count;
            const std::int64_t found = kernel(piece, items + first * item_stride);
            moved += found;
            return found == count;
        });
        if (moved == run.count) {
            walker.advance(rows);
            continue;
        }
        // Some are out of range, and need the mode: ever more go that way while there are few
        // others between them; of a tile all that is left.
        constexpr std::int64_t kFewBetween = 256;
        at_once = moved < kFewBetween ? std::min(4 * at_once, kBlockPositions) : kLookUpStep;
        run = behind(run, moved);
        items += moved * item_stride;
        if (by_row) run.count = std::min(run.count, at_once);
        if (!job.resolve(run, offsets)) return false;
        job.move({job.buffers.table, offsets, run.count, items, item_stride, job.slice_bytes,
                  job.element_bytes, job.far, job.fill, job.byte_table, job.asks_for_items});
        walker.advance((moved + run.count) / tile.row_places);
    }
    return true;
}

}  // namespace

std::optional<bool> execute_in_one(const Job& job, const Partition& parts) noexcept {
    const Tile row{job.rank - 1, job.rank > 0 ? job.dims[job.rank - 1].size : 1, 1};
    if (can_look_up(job, parts)) {
        return execute_tiles(job, row, LookUp(job));
    }
    if (can_flatten(job, parts)) {
        const Tuples tuples(job.tuples, job.coordinates, job.coordinate_count, job.slice_bytes);
        const bool far =
            job.direction == Direction::kGather ? job.fetches_table : job.asks_for_updates;
        return execute_tiles(job, row, [&](const IndexRun& run, std::byte* items) {
            return tuples.move_run(run, job.buffers.table + run.table_offset, items, far);
        });
    }
    if (!can_update(job, parts)) return std::nullopt;
    if (job.dims[job.rank - 1].item_stride == 0)
        return execute_tiles(job, row, RepeatedUpdate(job));
    return execute_tiles(job, row, [&](const IndexRun& run, std::byte* items) {
        return job.update(run, job.buffers.table + run.table_offset, items, job.asks_for_updates);
    });
}

std::optional<bool> look_up_placed(const Job& job, const Partition& parts,
                                   const Tile& tile) noexcept {
    if (job.look_up_placed == nullptr || parts.positions_rank < job.rank ||
        tile.places() < kShortRow) {
        return std::nullopt;
    }
    const Dim& run = job.dims[job.rank - 1];
    if (run.index_stride != job.index_bytes || run.item_stride != job.slice_bytes)
        return std::nullopt;
    return execute_tiles(job, tile, [&](const IndexRun& piece, std::byte* items) {
        return job.look_up_placed(piece, job.buffers.table, items);
    });
}

}  // namespace dmlindex::cpu
