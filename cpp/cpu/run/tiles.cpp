#include "cpu/run/tiles.hpp"

#include <algorithm>

#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {

Tile tile_of(const Dim* dims, int rank, std::int64_t most_places) noexcept {
    Tile tile{rank - 1, 0, 1};
    const auto goes_on = [&](const Dim& outer, const Dim& inner) {
        return outer.item_stride == inner.size * inner.item_stride &&
               outer.index_stride == inner.size * inner.index_stride;
    };
    while (tile.dim > 0 && tile.row_places * dims[tile.dim].size <= most_places &&
           goes_on(dims[tile.dim - 1], dims[tile.dim])) {
        tile.row_places *= dims[tile.dim--].size;
    }
    tile.rows = std::min(dims[tile.dim].size, most_places / tile.row_places);
    return tile;
}

void write_places(const Dim* dims, int rank, const Tile& tile, std::int64_t* places) noexcept {
    Dim own[kMaxDims];
    const int own_rank = rank - tile.dim;
    std::copy_n(dims + tile.dim, own_rank, own);
    own[0].size = tile.rows;
    for (PositionWalker walker(own, own_rank, 0); !walker.at_end();) {
        const std::int64_t run = walker.left_in_run();
        const std::int64_t first = walker.table_offset();
        for (std::int64_t i = 0; i < run; ++i) *places++ = first + i * walker.run().table_stride;
        walker.advance(run);
    }
}

}  // namespace dmlindex::cpu
