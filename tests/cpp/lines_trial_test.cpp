#include "cpu/run/lines_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ratio>
#include <vector>

namespace dmlindex::cpu {
namespace {

// Goes on as moves say.
struct FakeClock {
    using duration = std::chrono::duration<std::int64_t, std::nano>;
    using time_point = std::chrono::time_point<FakeClock, duration>;
    static time_point now() { return time_point(duration(at)); }
    static inline std::int64_t at = 0;
};

TEST(LinesTrial, ItsPiecesAreTheBlocks) {
    std::vector<std::int64_t> offsets(5000);
    std::vector<std::byte> items(3 * offsets.size());
    for (const bool runs : {false, true}) {
        LinesTrial<> trial(runs);
        int pieces = 0;
        for (const std::int64_t count : {200, 10, 64, 0, 5000}) {
            Block block{};
            block.offsets = offsets.data();
            block.count = count;
            block.items = items.data();
            block.item_stride = 3;
            std::int64_t moved = 0;
            trial.each_piece(block, [&](const Block& piece) {
                EXPECT_EQ(piece.offsets, block.offsets + moved);
                EXPECT_EQ(piece.items, block.items + 3 * moved);
                moved += piece.count;
                ++pieces;
            });
            EXPECT_EQ(moved, count);
        }
        EXPECT_EQ(pieces, runs ? 4 + 1 + 1 + 13 : 4);
    }
}

// Whether all lines are asked for after pieces that take so long, each way.
bool chooses_all_lines(const std::vector<int>& by_first_line,
                       const std::vector<int>& by_all_lines) {
    LinesTrial<FakeClock> trial(true);
    std::size_t first = 0;
    std::size_t all = 0;
    bool chosen = false;
    Block block{};
    block.count = 1024 + 1;
    trial.each_piece(block, [&](const Block& piece) {
        if (piece.count == 1) {
            chosen = piece.all_lines;
        } else {
            FakeClock::at += piece.all_lines ? by_all_lines.at(all++) : by_first_line.at(first++);
        }
    });
    EXPECT_EQ(first, by_first_line.size());
    EXPECT_EQ(all, by_all_lines.size());
    return chosen;
}

TEST(LinesTrial, GoesOnInTheWayWhoseQuickerHalfTookLess) {
    const std::vector<int> slow(8, 1000);
    const std::vector<int> quick(8, 900);
    EXPECT_TRUE(chooses_all_lines(slow, quick));
    EXPECT_TRUE(chooses_all_lines(slow, slow));
    EXPECT_FALSE(chooses_all_lines(quick, slow));
    // What disturbs half of the pieces or fewer does not count, wherever it comes.
    std::vector<int> disturbed{900, 900, 900, 900, 9000, 9000, 9000, 9000};
    do {
        ASSERT_FALSE(chooses_all_lines(disturbed, slow));
    } while (std::next_permutation(disturbed.begin(), disturbed.end()));
    // Nor does one piece that happens to be quick.
    EXPECT_TRUE(chooses_all_lines({1000, 900, 1000, 1000, 1000, 1000, 1000, 1000}, slow));
}

TEST(LinesTrial, IsForLargeResultsOfSeveralLinesASlice) {
    Job job{};
    job.far = true;
    job.stream = [](const Block&, Carry&) noexcept {};
    job.slice_bytes = 256;
    EXPECT_TRUE(LinesTrial<>::pays(job, 1 << 16));
    EXPECT_FALSE(LinesTrial<>::pays(job, 1 << 10));
    Job other = job;
    other.far = false;
    EXPECT_FALSE(LinesTrial<>::pays(other, 1 << 16));
    other = job;
    other.stream = nullptr;
    EXPECT_FALSE(LinesTrial<>::pays(other, 1 << 16));
    other.direction = Direction::kScatter;
    other.whole_elements = true;  // a reduction: of 4 MB or more
    other.first_offset = kSkipped;
    EXPECT_TRUE(LinesTrial<>::pays(other, 1 << 14));
    EXPECT_FALSE(LinesTrial<>::pays(other, (1 << 14) - 1));
    other.first_offset = 0;  // a thread's share
    EXPECT_FALSE(LinesTrial<>::pays(other, 1 << 14));
    other.first_offset = kSkipped;
    other.whole_elements = false;
    EXPECT_FALSE(LinesTrial<>::pays(other, 1 << 14));
    for (const std::int64_t bytes : {252, 4100}) {
        other = job;
        other.slice_bytes = bytes;
        EXPECT_FALSE(LinesTrial<>::pays(other, 1 << 16));
    }
}

}  // namespace
}  // namespace dmlindex::cpu
