// Which of two ways is quicker on the CPU at hand, where nothing that it says of itself tells: they
// are tried, when the table of kernels is made or when they are first needed.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

// Whether the first takes less than nine tenths of the second's time: of the shortest of some runs,
// by turns. Some 10 µs each.
template <class First, class Second>
bool is_quicker(First first, Second second, int rounds = 12) noexcept {
    using Clock = std::chrono::steady_clock;
    auto of_first = Clock::duration::max();
    auto of_second = Clock::duration::max();
    const auto shorten = [](Clock::duration& shortest, auto& run) {
        const auto begin = Clock::now();
        run();
        shortest = std::min(shortest, Clock::now() - begin);
    };
    for (int round = 0; round < rounds; ++round) {
        shorten(of_first, first);
        shorten(of_second, second);
    }
    return of_first * 10 < of_second * 9;
}

// What a trial found when it was first asked. Threads that ask before it is known try for
// themselves: none waits for another, which a fork may have left behind.
class Found {
  public:
    template <class Trial>
    bool or_try(Trial trial) noexcept {
        const Known known = known_.load(std::memory_order_relaxed);
        if (known != kUnknown) return known == kTrue;
        const bool found = trial();
        known_.store(found ? kTrue : kFalse, std::memory_order_relaxed);
        return found;
    }

  private:
    enum Known : std::uint8_t { kUnknown, kFalse, kTrue };
    std::atomic<Known> known_{kUnknown};
};

// Into how few places sums and products are resolved first and then added, in two passes, as each
// waits for the one before: at most some on a Zen 4, none on a Zen 3 and a Sapphire Rapids.
std::int64_t few_summed_places(const Kernels& kernels) noexcept;

// Whether single updates, or slices of a cache line, of a table of some times L2 are quicker if
// they are not asked for ahead, as the last level answers soon: so it does on a Zen 5, and for
// updates on a Zen 4. On a Sapphire Rapids they take 0.75 to 0.9 of the time if they are. One and
// two milliseconds.
bool near_updates_are_quicker(UpdateKernel update) noexcept;
bool near_slices_are_quicker(MoveKernel gather) noexcept;

using CopySpan = void (*)(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept;

// Whether the C library copies slices of some pages quicker than copy does, into a result that L2
// does not hold: it has the CPU do so by itself, which waits for each line on a Zen 4, and takes
// 0.6 to 0.95 of the time on a Zen 5. A quarter of a millisecond.
bool library_copies_pages(CopySpan copy) noexcept;

}  // namespace dmlindex::cpu
