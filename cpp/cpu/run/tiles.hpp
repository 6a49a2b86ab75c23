// Rows of short dims taken together, so that a block of positions does not end where a row ends.
#pragma once

#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// Some rows of a dim, each with all of the dims behind it.
struct Tile {
    int dim;
    std::int64_t rows;        // at most: the last tile along the dim may have fewer
    std::int64_t row_places;  // one for each position of the dims behind
    std::int64_t places() const noexcept { return rows * row_places; }
};

// Whether items and indices go on from row to row of the outer dim as they do within one.
inline bool goes_on(const Dim& outer, const Dim& inner) noexcept {
    return outer.item_stride == inner.size * inner.item_stride &&
           outer.index_stride == inner.size * inner.index_stride;
}

// The largest tile of these dims, in whole rows, of at most so many places, whose items and indices
// lie at one stride from place to place. Of a dim at least.
Tile tile_of(const Dim* dims, int rank, std::int64_t most_places) noexcept;

// Where each of the tile's places is in the table, beside the first of them.
void write_places(const Dim* dims, int rank, const Tile& tile, std::int64_t* places) noexcept;

}  // namespace dmlindex::cpu
