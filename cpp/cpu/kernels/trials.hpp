// Which of two ways is quicker on the CPU at hand, where nothing that it says of itself tells: they
// are tried, when the table of kernels is made or when they are first needed.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

// Whether the first takes less than nine tenths of the second's time: of the shortest of so many
// rounds, by turns.
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

// What a trial found first. Threads that ask before that try for themselves: none waits for
// another, which a fork may have left behind.
class Found {
  public:
    // False where it is not known yet and not to be tried.
    template <class Trial>
    bool known_or(bool tries, Trial trial) noexcept {
        Known known = known_.load(std::memory_order_relaxed);
        if (known == kUnknown && tries) {
            const Known found = trial() ? kTrue : kFalse;
            if (known_.compare_exchange_strong(known, found, std::memory_order_relaxed))
                known = found;
        }
        return known == kTrue;
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

// Whether stores to single elements of such a table wait for their lines, so that they are quicker
// if asked for, or into a copy that L2 holds: tried on lines that it does not hold yet. They do on
// a Granite Rapids, where the trial above finds that nothing else of that size gains. Two
// milliseconds.
bool stores_gain_by_asking(UpdateKernel put) noexcept;

// The same, tried once, with kernels(); what it found.
bool stores_wait() noexcept;

// Whether a gather of rows into a result that lies in the last level is at least as quick if it
// asks for the lines that it writes: on a Granite Rapids it takes 0.9 of the time, on a Zen 3 twice
// as long. Two milliseconds.
bool rows_gain_by_asking(MoveKernel gather) noexcept;

// Whether a result of so many bytes is written past the caches. Later where threads share it, which
// together write to a cache faster than one, but hardly so to memory; not where stores wait for the
// cache, too.
inline bool goes_past_caches(std::int64_t bytes, int threads) noexcept {
    if (bytes < caches().streamed_bytes) return false;
    return threads == 1 || bytes >= caches().far_bytes || stores_wait();
}

// The update that is tried; null where the kernels have none.
inline UpdateKernel put_of_floats(const Kernels& kernels) noexcept {
    return kernels.put[slice_class(sizeof(float))][static_cast<int>(IndexType::kInt64)];
}

// Slices of so many bytes are pages, which the C library may copy quicker than a kernel does.
inline constexpr std::int64_t kPageBytes = std::int64_t{4} << 10;

// Whether it does, into a result that L2 does not hold: it has the CPU copy by itself, which waits
// for each line on a Zen 4, and takes 0.6 to 0.95 of the time on a Zen 5. A quarter of a
// millisecond.
bool pages_are_quicker_by_library(SpanKernel copy_in_lines) noexcept;

// The same, tried once, by the thread that runs a plan of pages; what it found, for kernels.
void find_who_copies_pages(const Kernels& kernels) noexcept;
bool library_copies_pages() noexcept;

}  // namespace dmlindex::cpu
