// Rows of short dims taken together, so that a block of positions does not end where a row ends.
#pragma once

#include "cpu/run/job.hpp"
#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {

// Some rows of a dim, each with all of the dims behind it.
struct Tile {
    int dim;
    std::int64_t rows;                 // at most: the last tile along the dim may have fewer
    std::int64_t row_places;           // one for each position of the dims behind
    const std::int64_t* at = nullptr;  // where its places are; null for positions of the last dim
    std::int64_t places() const noexcept { return rows * row_places; }
};

// Whether items and indices go on from row to row of the outer dim as they do within one.
inline bool goes_on(const Dim& outer, const Dim& inner) noexcept {
    return outer.item_stride == inner.size * inner.item_stride &&
           outer.index_stride == inner.size * inner.index_stride;
}

// Whether the items lie at a constant stride along all positions, so that a block may cross runs.
bool items_are_linear(const Dim* dims, int rank) noexcept;

// The largest tile of these dims, in whole rows, of at most so many places, whose items and indices
// lie at one stride from place to place. Of a dim at least.
Tile tile_of(const Dim* dims, int rank, std::int64_t most_places) noexcept;

// Where each of the tile's places is in the table, beside the first of them.
void write_places(const Dim* dims, int rank, const Tile& tile, std::int64_t* places) noexcept;

// The last dim's positions; or, where it is short and goes on, a tile, whose places it writes.
Tile rows_together(const Dim* dims, int rank, std::int64_t* places) noexcept;

// Some rows of a tile, or some positions of the last dim, from where a walker along tile.dim is on.
inline IndexRun index_run(const Job& job, const Tile& tile, const Dim& last,
                          const PositionWalker& walker, std::int64_t rows) noexcept {
    IndexRun run = walker.index_run(job.buffers.indices, rows * tile.row_places, job.coordinates,
                                    job.coordinate_count);
    run.index_stride = last.index_stride;
    if (tile.at != nullptr) {
        run.places = tile.at;
        run.in_long_row = false;
    }
    return run;
}

}  // namespace dmlindex::cpu
