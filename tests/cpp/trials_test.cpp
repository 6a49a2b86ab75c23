#include "cpu/kernels/trials.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

namespace dmlindex::cpu {
namespace {

// Byte by byte, each of which is stored.
void copy_slowly(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept {
    volatile std::byte* const place = to;
    for (std::int64_t i = 0; i < bytes; ++i) place[i] = from[i];
}

void copy_nothing(std::byte*, const std::byte*, std::int64_t) noexcept {}

// Not asleep: on Windows that can end at once.
void wait() noexcept {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::microseconds(300);
    while (Clock::now() < end) {
    }
}

template <bool kWaitsIfFar>
std::int64_t update(const IndexRun& run, std::byte*, const std::byte*, bool far) noexcept {
    if (far == kWaitsIfFar) wait();
    return run.count;
}

template <bool kWaitsIfFar>
void move(const Block& block) noexcept {
    if (block.far == kWaitsIfFar) wait();
}

template <bool kWaitsIfAsking>
void move_rows(const Block& block) noexcept {
    if (block.items - block.table == block.count * block.slice_bytes &&
        block.asks_for_items == kWaitsIfAsking) {
        wait();
    }
}

TEST(Trials, WhatIsNearIsNotAskedForAheadWhereThatIsQuicker) {
    EXPECT_TRUE(near_updates_are_quicker(update<true>));
    EXPECT_FALSE(near_updates_are_quicker(update<false>));
    EXPECT_TRUE(near_slices_are_quicker(move<true>));
    EXPECT_FALSE(near_slices_are_quicker(move<false>));
}

TEST(Trials, StoresAskWhereThatIsQuicker) {
    EXPECT_TRUE(stores_gain_by_asking(update<false>));
    EXPECT_FALSE(stores_gain_by_asking(update<true>));
}

TEST(Trials, RowsAskForWhatTheyWriteUnlessThatIsSlower) {
    EXPECT_TRUE(rows_gain_by_asking(move_rows<false>));
    EXPECT_FALSE(rows_gain_by_asking(move_rows<true>));
}

TEST(Trials, PlacesLieInTheTable) {
    const auto stays_inside = [](const IndexRun& run, std::byte* table, const std::byte* items,
                                 bool) noexcept {
        for (std::int64_t i = 0; i < run.count; ++i) {
            std::int64_t place;
            std::memcpy(&place, run.indices + i * run.index_stride, sizeof place);
            EXPECT_GE(place, 0);
            EXPECT_LT(place, run.coordinates[0].limit);
        }
        EXPECT_EQ(table + run.coordinates[0].limit * run.coordinates[0].table_stride, items);
        return run.count;
    };
    near_updates_are_quicker(stays_inside);
    stores_gain_by_asking(stays_inside);
    const auto slices_stay_inside = [](const Block& block) noexcept {
        for (std::int64_t i = 0; i < block.count; ++i) {
            EXPECT_EQ(block.offsets[i] % block.slice_bytes, 0);
            EXPECT_GE(block.offsets[i], 0);
            EXPECT_LE(block.offsets[i] + block.slice_bytes, block.items - block.table);
        }
    };
    near_slices_are_quicker(slices_stay_inside);
    rows_gain_by_asking(slices_stay_inside);
}

TEST(Trials, PagesAreCopiedByWhoeverIsQuicker) {
    EXPECT_TRUE(pages_are_quicker_by_library(copy_slowly));
    EXPECT_FALSE(pages_are_quicker_by_library(copy_nothing));
}

TEST(Trials, WhatWasFoundFirstStays) {
    Found found;
    EXPECT_FALSE(found.known_or(false, [] { return true; }));  // not tried
    EXPECT_TRUE(found.known_or(true, [] { return true; }));
    EXPECT_TRUE(found.known_or(true, [] { return false; }));
    Found by_two;
    EXPECT_TRUE(by_two.known_or(true, [&] {
        by_two.known_or(true, [] { return true; });  // as another thread, in the meantime
        return false;
    }));
}

}  // namespace
}  // namespace dmlindex::cpu
