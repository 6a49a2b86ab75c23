// What a gather of a large result out of a far table, or a reduction of many slices into one, asks
// for ahead of slices of several lines: the first line alone, or all of them. Which is quicker
// depends on the machine and on where the indices lead: all lines take 0.5 to 0.8 of the time on a
// Zen 4, but as long where what is read lies in cache, and 1.2 to 1.5 on a Sapphire Rapids.
#pragma once

#include "cpu/kernels/caches.hpp"
#include "cpu/run/by_turns.hpp"
#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

template <class Clock = std::chrono::steady_clock>
class LinesTrial {
  public:
    // Whether so many positions of the job are worth a trial, half of which goes the slower way. Of
    // results that stay in cache some gain a little and some lose as much, and so do scatters. A
    // thread that shares a reduction by destination may skip all of its first positions.
    static bool pays(const Job& job, std::int64_t positions) noexcept {
        constexpr std::int64_t kShortest = 4 * kCacheLineBytes;
        constexpr std::int64_t kLongest = 64 * kCacheLineBytes;
        constexpr std::int64_t kReducedBytes = std::int64_t{4} << 20;
        const bool reduces = job.direction == Direction::kScatter && job.whole_elements &&
                             job.first_offset == kSkipped;
        const bool is_large =
            job.stream != nullptr || (reduces && positions >= kReducedBytes / job.slice_bytes);
        return job.far && is_large && job.slice_bytes >= kShortest && job.slice_bytes <= kLongest &&
               positions >= 4 * Turns::kPieces * kPiecePositions;
    }

    explicit LinesTrial(bool runs) noexcept : runs_(runs), turns_(runs, 19) {}

    // Calls move for a block, piece by piece as long as the trial runs.
    template <class Move>
    void each_piece(Block block, Move move) noexcept {
        while (turns_.go_on() && block.count >= kPiecePositions) {
            Block piece = block;
            piece.count = kPiecePositions;
            turns_.piece([&](bool first_alone) {
                piece.all_lines = !first_alone;
                move(piece);
                return true;
            });
            block.offsets += kPiecePositions;
            block.items += kPiecePositions * block.item_stride;
            block.count -= kPiecePositions;
        }
        // Where neither is clearly quicker, all lines: after some milliseconds of the first alone,
        // a Zen 4 is slow to gain by them.
        block.all_lines = runs_ && !turns_.go_on() && !turns_.other_is_quicker();
        if (block.count > 0) move(block);
    }

  private:
    using Turns = ByTurns<Clock>;
    static constexpr std::int64_t kPiecePositions = 64;

    bool runs_;
    Turns turns_;
};

}  // namespace dmlindex::cpu
