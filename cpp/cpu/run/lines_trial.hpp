// What a gather of a large result out of a far table, or a reduction of many slices into one, asks
// for ahead of slices of several lines: the first line alone, or all of them. Which is quicker
// depends on the machine and on where the indices lead: all lines take 0.5 to 0.8 of the time on a
// Zen 4, but as long where what is read lies in cache, and 1.2 to 1.5 on a Sapphire Rapids. So a
// call moves its first pieces in either way by turns, and goes on in the quicker one: no state is
// kept but the call's own.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include "cpu/kernels/caches.hpp"
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
               positions >= 4 * kPieces * kPiecePositions;
    }

    explicit LinesTrial(bool runs) noexcept : left_(runs ? kPieces : 0) {}

    // Calls move for a block, piece by piece as long as the trial runs.
    template <class Move>
    void each_piece(Block block, Move move) noexcept {
        while (left_ > 0 && block.count >= kPiecePositions) {
            Block piece = block;
            piece.count = kPiecePositions;
            piece.all_lines = (left_ & 2) != 0;  // 0, 1, 1, 0: what drifts is the same for both
            const auto begin = Clock::now();
            move(piece);
            const auto taken = Clock::now() - begin;
            --left_;
            (piece.all_lines ? by_all_lines_ : by_first_line_)[left_ / 2] = taken;
            if (left_ == 0) {
                // Where neither is clearly quicker, all lines: after some milliseconds of the first
                // alone, a Zen 4 is slow to gain by them.
                all_lines_ = undisturbed(by_first_line_) * 20 > undisturbed(by_all_lines_) * 19;
            }
            block.offsets += kPiecePositions;
            block.items += kPiecePositions * block.item_stride;
            block.count -= kPiecePositions;
        }
        block.all_lines = all_lines_;
        if (block.count > 0) move(block);
    }

  private:
    static constexpr int kPieces = 16;
    static constexpr std::int64_t kPiecePositions = 64;
    using Duration = typename Clock::duration;
    using Times = std::array<Duration, kPieces / 2>;  // of the pieces, from the last one on

    // The quicker half of the pieces, together.
    static Duration undisturbed(Times& times) noexcept {
        const auto middle = times.begin() + kPieces / 4;
        std::nth_element(times.begin(), middle, times.end());
        return std::accumulate(times.begin(), middle, Duration{});
    }

    int left_;
    bool all_lines_ = false;
    Times by_all_lines_{};
    Times by_first_line_{};
};

}  // namespace dmlindex::cpu
