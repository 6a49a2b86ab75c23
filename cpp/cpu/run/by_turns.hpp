// Two ways to do the same, of which one is quicker: that depends on the machine and on where the
// indices lead. So a call does its first pieces in either way by turns, and goes on in the quicker
// one: no state is kept but the call's own.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

namespace dmlindex::cpu {

template <class Clock = std::chrono::steady_clock>
class ByTurns {
  public:
    static constexpr int kPieces = 16;

    // twentieths: the other way is the quicker one if it takes so many of the one's time, or fewer.
    ByTurns(bool runs, int twentieths) noexcept
        : left_(runs ? kPieces : 0), twentieths_(twentieths) {}
    bool go_on() const noexcept { return left_ > 0; }

    // Calls move(whether in the other way) for a piece, which returns whether that was a whole one:
    // they are of one size, and what is shorter does not count.
    template <class Move>
    void piece(Move move) noexcept {
        const bool other = (left_ & 2) == 0;  // 1, 0, 0, 1: what drifts is the same for both
        const auto begin = Clock::now();
        const bool whole = move(other);
        const auto taken = Clock::now() - begin;
        if (!whole) return;
        --left_;
        (other ? by_other_ : by_one_)[left_ / 2] = taken;
        if (left_ == 0) {
            other_is_quicker_ = undisturbed(by_other_) * 20 <= undisturbed(by_one_) * twentieths_;
        }
    }

    // Whether the other way was clearly the quicker one; no, as long as nothing was tried.
    bool other_is_quicker() const noexcept { return other_is_quicker_; }

  private:
    using Duration = typename Clock::duration;
    using Times = std::array<Duration, kPieces / 2>;  // of the pieces, from the last one on

    // The quicker half of the pieces, together.
    static Duration undisturbed(Times& times) noexcept {
        const auto middle = times.begin() + kPieces / 4;
        std::nth_element(times.begin(), middle, times.end());
        return std::accumulate(times.begin(), middle, Duration{});
    }

    int left_;
    int twentieths_;
    bool other_is_quicker_ = false;
    Times by_one_{};
    Times by_other_{};
};

}  // namespace dmlindex::cpu
