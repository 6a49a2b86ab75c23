#include "cpu/run/tiles.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dmlindex::cpu {
namespace {

// [7, 5, 3] indices of 8 bytes, elements of 4, along a last axis of 10.
constexpr Dim kRows[] = {{7, 200, 60, 120}, {5, 40, 12, 24}, {3, 0, 4, 8}};

TEST(Tiles, TakeAsManyWholeRowsAsFit) {
    const Tile all = tile_of(kRows, 3, 1000);
    EXPECT_EQ(all.dim, 0);
    EXPECT_EQ(all.rows, 7);
    EXPECT_EQ(all.row_places, 15);

    const Tile some = tile_of(kRows, 3, 44);
    EXPECT_EQ(some.dim, 0);
    EXPECT_EQ(some.rows, 2);

    const Tile of_one_dim = tile_of(kRows, 3, 14);
    EXPECT_EQ(of_one_dim.dim, 1);
    EXPECT_EQ(of_one_dim.rows, 4);
    EXPECT_EQ(of_one_dim.row_places, 3);
    EXPECT_EQ(of_one_dim.places(), 12);
}

TEST(Tiles, EndWhereItemsOrIndicesStartAnew) {
    Dim gaps[] = {kRows[0], kRows[1], kRows[2]};
    gaps[0].item_stride += 4;
    EXPECT_EQ(tile_of(gaps, 3, 1000).dim, 1);
    gaps[1].index_stride = 0;
    EXPECT_EQ(tile_of(gaps, 3, 1000).dim, 2);
}

TEST(Tiles, PlacesAreInCOrder) {
    const Tile tile = tile_of(kRows, 3, 44);
    std::vector<std::int64_t> places(static_cast<std::size_t>(tile.places()));
    write_places(kRows, 3, tile, places.data());
    std::size_t i = 0;
    for (std::int64_t a = 0; a < 2; ++a) {
        for (std::int64_t b = 0; b < 5; ++b) {
            for (int c = 0; c < 3; ++c) EXPECT_EQ(places[i++], 200 * a + 40 * b);
        }
    }
    EXPECT_EQ(i, places.size());
}

}  // namespace
}  // namespace dmlindex::cpu
