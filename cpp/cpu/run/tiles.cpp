#include "cpu/run/tiles.hpp"

#include <algorithm>

namespace dmlindex::cpu {
namespace {

// The same places by so much further on.
void move_on(const std::int64_t* __restrict from, std::int64_t count, std::int64_t further,
             std::int64_t* __restrict to) noexcept {
    for (std::int64_t p = 0; p < count; ++p) to[p] = from[p] + further;
}

}  // namespace

bool items_are_linear(const Dim* dims, int rank) noexcept {
    for (int d = 0; d + 1 < rank; ++d) {
        if (dims[d].item_stride != dims[d + 1].item_stride * dims[d + 1].size) return false;
    }
    return true;
}

Tile tile_of(const Dim* dims, int rank, std::int64_t most_places) noexcept {
    Tile tile{rank - 1, 0, 1};
    while (tile.dim > 0 && tile.row_places * dims[tile.dim].size <= most_places &&
           goes_on(dims[tile.dim - 1], dims[tile.dim])) {
        tile.row_places *= dims[tile.dim--].size;
    }
    tile.rows = std::min(dims[tile.dim].size, most_places / tile.row_places);
    return tile;
}

void write_places(const Dim* dims, int rank, const Tile& tile, std::int64_t* places) noexcept {
    std::int64_t count = 1;
    places[0] = 0;
    for (int d = rank - 1; d >= tile.dim; --d) {
        const std::int64_t size = d == tile.dim ? tile.rows : dims[d].size;
        if (count == 1) {
            for (std::int64_t i = 0; i < size; ++i) places[i] = i * dims[d].table_stride;
        } else {
            for (std::int64_t i = 1; i < size; ++i) {
                move_on(places, count, i * dims[d].table_stride, places + i * count);
            }
        }
        count *= size;
    }
}

Tile rows_together(const Dim* dims, int rank, std::int64_t* places) noexcept {
    if (rank == 0) return {-1, 1, 1};
    if (rank > 1 && 2 * dims[rank - 1].size <= kBlockPositions) {
        Tile tile = tile_of(dims, rank, kBlockPositions);
        if (tile.row_places > 1) {
            write_places(dims, rank, tile, places);
            tile.at = places;
            return tile;
        }
    }
    return {rank - 1, dims[rank - 1].size, 1};
}

}  // namespace dmlindex::cpu
