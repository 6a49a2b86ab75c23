// Threads of a pool off the processor of the thread that calls.
#pragma once

#include <atomic>
#include <chrono>
#include <limits>

#include "parallel/thread_pool.hpp"

namespace dmlindex {

// When something last was, to tell whether processors that waited for more may have paused.
class Pause {
  public:
    // Whether it has not been for a millisecond. It is now.
    bool follows_pause() noexcept {
        const std::int64_t before = last_.load(std::memory_order_relaxed);
        note();
        return before < last_.load(std::memory_order_relaxed) - kNanoseconds;
    }

    void note() noexcept {
        last_.store(
            std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(),
            std::memory_order_relaxed);
    }

    // Whatever comes next follows no pause.
    void forget() noexcept { last_.store(kForgotten, std::memory_order_relaxed); }

  private:
    static constexpr std::int64_t kForgotten = std::numeric_limits<std::int64_t>::max();
    static constexpr std::int64_t kNanoseconds = 1'000'000;

    std::atomic<std::int64_t> last_{0};
};

// Runs the chunks on the pool. In a virtual machine, Linux takes processors that have paused for
// busy ones, and wakes a pool's thread where its caller runs: it begins when the caller has done
// its own part, or when the scheduler moves it, milliseconds later. So after a pause the caller's
// processor is closed to the pool's threads until the call is done.
void run_apart(const ThreadPool& pool, std::int64_t chunk_count, ChunkBody body, void* context);

}  // namespace dmlindex
