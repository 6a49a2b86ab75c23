#include "cpu/run/free_dims.hpp"

#include <algorithm>
#include <cstdlib>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/run/fill.hpp"
#include "cpu/run/next_row.hpp"
#include "cpu/run/shuffled_rows.hpp"
#include "cpu/run/tiles.hpp"
#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {
namespace {

// Whether the lines that a row of positions takes of all rows of the table come from far. The
// hardware foresees those of one column, but not of several in turns.
bool reads_far(const Job& job, const Partition& parts, const Block& row) noexcept {
    const std::int64_t far_bytes = 4 * caches().l2_bytes;
    return parts.free_count * row.count > far_bytes / kCacheLineBytes &&
           spread_bytes(job.dims, parts.before) > far_bytes;
}

// A short row of positions that is moved along free dims before it: many times over at once.
void move_rows(const Job& job, const Partition& parts, const Block& row, Carry& carry) noexcept {
    const Tile tile = tile_of(job.dims, parts.before, kBlockPositions / row.count);
    std::int64_t places[kBlockPositions];
    std::int64_t offsets[kBlockPositions];
    write_places(job.dims, parts.before, tile, places);
    const std::int64_t* const from = row.offsets;
    const std::int64_t count = row.count;
    for (std::int64_t p = 0; p < tile.places(); ++p) {
        std::int64_t* __restrict to = offsets + p * count;
        const std::int64_t place = places[p];
        for (std::int64_t i = 0; i < count; ++i)
            to[i] = from[i] == kSkipped ? kSkipped : from[i] + place;
    }
    Block block = row;
    block.offsets = offsets;
    block.far = row.far || reads_far(job, parts, row);
    for (PositionWalker walker(job.dims, tile.dim + 1, 0); !walker.at_end();) {
        const std::int64_t rows = std::min(tile.rows, walker.left_in_run());
        block.count = rows * tile.row_places * row.count;
        block.table = row.table + walker.table_offset();
        block.items = row.items + walker.item_offset();
        deliver(job, block, carry);
        walker.advance(rows);
    }
}

// Copies a position's slice all along a dim; one that stays the same is written over and over.
void copy_along(const Job& job, const Dim& dim, std::byte* table, std::byte* item) noexcept {
    const bool gathers = job.direction == Direction::kGather;
    std::byte* const to = gathers ? item : table;
    const std::byte* const from = gathers ? table : item;
    const std::int64_t to_stride = gathers ? dim.item_stride : dim.table_stride;
    const std::int64_t from_stride = gathers ? dim.table_stride : dim.item_stride;
    if (from_stride == 0 && to_stride == job.slice_bytes && job.slice_bytes <= kCacheLineBytes) {
        fill(to, from, job.slice_bytes, dim.size);
    } else {
        job.copy(to, to_stride, from, from_stride, dim.size, job.slice_bytes);
    }
}

// Fills a position's item all along a dim.
void fill_along(const Dim& dim, const Block& block, std::byte* item) noexcept {
    for (std::int64_t k = 0; k < dim.size; ++k) fill_slice(item + k * dim.item_stride, block);
}

// Positions with those along free dims before them, up to which it takes longer to write rows of
// offsets than to go column by column.
constexpr std::int64_t kShortOfRows = 3 * kBlockPositions;

// Whether columns pay: where rows are few, or where each of very few columns has lines of its own
// in a far table, which the hardware foresees column by column.
bool goes_by_columns(const Job& job, const Partition& parts, const Block& block) noexcept {
    constexpr std::int64_t kFewRows = 8;
    constexpr std::int64_t kFewColumns = 4;
    constexpr std::int64_t kLeastBytes = 4;
    const Dim& rows = job.dims[parts.before - 1];
    if (rows.size < std::max(kFewRows, block.count) || block.slice_bytes > kCacheLineBytes)
        return false;
    if (parts.free_count * block.count <= kShortOfRows) return true;
    return block.count <= kFewColumns && block.slice_bytes >= kLeastBytes &&
           std::abs(rows.table_stride) >= block.count * kCacheLineBytes &&
           reads_far(job, parts, block);
}

// Each of some positions goes along one of the free dims, while the others stay; piece by piece of
// it, where what is read or written may share lines with them.
void move_along(const Job& job, const Dim* dims, int rank, int along, const Block& block) noexcept {
    constexpr std::int64_t kPiece = 256;  // few enough lines for L1 to hold them for the others
    const Dim& dim = dims[along];
    const auto is_dense = [&](std::int64_t stride) {
        return stride == job.slice_bytes || stride == 0;
    };
    const bool as_a_whole = is_dense(dim.table_stride) && is_dense(dim.item_stride);
    const std::int64_t at_once = as_a_whole ? dim.size : kPiece;
    Dim others[kMaxDims];
    std::copy(dims + along + 1, dims + rank, std::copy(dims, dims + along, others));
    for (std::int64_t first = 0; first < dim.size; first += at_once) {
        Dim piece = dim;
        piece.size = std::min(dim.size - first, at_once);
        for (PositionWalker walker(others, rank - 1, 0); !walker.at_end(); walker.advance(1)) {
            std::byte* const table = block.table + walker.table_offset() + first * dim.table_stride;
            std::byte* const items = block.items + walker.item_offset() + first * dim.item_stride;
            for (std::int64_t i = 0; i < block.count; ++i) {
                std::byte* const item = items + i * block.item_stride;
                if (block.offsets[i] != kSkipped) {
                    copy_along(job, piece, table + block.offsets[i], item);
                } else if (job.direction == Direction::kGather) {
                    fill_along(piece, block, item);
                }
            }
        }
    }
}

// The free dim along which each of some positions goes, while the others stay; -1 if the positions
// had better go together. It is one of which a line of the table holds several slices, where each
// along the last has lines of its own; or, where there are some behind the positions, the last, or
// else the longest, if it is not short, or longer than they are many: of many positions only in
// small steps, as each would be on pages of its own.
int dim_to_go_along(const Dim* dims, int rank, const Partition& parts,
                    const Block& block) noexcept {
    constexpr std::int64_t kShort = 16;
    constexpr std::int64_t kNearBytes = 1024;
    const Dim& last = dims[rank - 1];
    const auto nearest = std::min_element(dims, dims + rank, [](const Dim& one, const Dim& other) {
        return std::abs(one.table_stride) < std::abs(other.table_stride);
    });
    if (nearest->size >= std::max(kShort, block.count) && nearest->table_stride != 0 &&
        2 * std::abs(nearest->table_stride) <= kCacheLineBytes &&
        std::abs(last.table_stride) >= kCacheLineBytes) {
        return static_cast<int>(nearest - dims);
    }
    if (parts.behind == 0) return -1;
    if (last.size >= kShort) return rank - 1;
    const auto longest = std::max_element(
        dims, dims + rank, [](const Dim& one, const Dim& other) { return one.size < other.size; });
    const bool is_long = longest->size > std::min(block.count, kShort - 1);
    const bool is_near =
        std::min(std::abs(longest->table_stride), std::abs(longest->item_stride)) <= kNearBytes;
    return is_long && (is_near || block.count < kShort) ? static_cast<int>(longest - dims) : -1;
}

}  // namespace

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

void move_block(const Job& job, const Partition& parts, const Block& block, Carry& carry) noexcept {
    if (parts.free_count == 1) {
        deliver(job, block, carry);
        return;
    }
    if (parts.behind == 0 && move_shuffled_rows(job, parts, block)) return;
    if (parts.behind == 0 && job.copy != nullptr && goes_by_columns(job, parts, block)) {
        move_along(job, job.dims, parts.before, parts.before - 1, block);
        return;
    }
    if (parts.behind == 0 && block.count <= kBlockPositions / 4 &&
        job.dims[parts.before - 1].item_stride == block.count * block.item_stride) {
        move_rows(job, parts, block, carry);
        return;
    }
    Dim free_dims[kMaxDims];
    int rank = 0;
    for (int d = 0; d < parts.before; ++d) free_dims[rank++] = job.dims[d];
    for (int d = job.rank - parts.behind; d < job.rank; ++d) free_dims[rank++] = job.dims[d];

    const int along = job.copy != nullptr ? dim_to_go_along(free_dims, rank, parts, block) : -1;
    if (along >= 0) {
        move_along(job, free_dims, rank, along, block);
        return;
    }
    const bool goes_on = parts.before > 0 && parts.behind == 0;
    const NextRow next_row(job, goes_on ? block.count : 0);
    for (PositionWalker walker(free_dims, rank, 0); !walker.at_end(); walker.advance(1)) {
        Block at = block;
        at.table += walker.table_offset();
        at.items += walker.item_offset();
        next_row.each_piece(at.table + free_dims[rank - 1].table_stride, at.count,
                            [&](std::int64_t first, std::int64_t count) {
                                deliver(job, piece_of(at, first, count), carry);
                                return true;
                            });
    }
}

}  // namespace dmlindex::cpu
