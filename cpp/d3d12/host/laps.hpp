// What parts of a call take on the CPU, for benchmarks. Nothing is measured until that is asked
// for.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>

namespace dmlindex::d3d12 {

// A call holds the next two, and running holds recording, in which a list may be submitted.
enum class Part : std::uint8_t { kCall, kPlan, kRun, kRecord, kWait, kSubmit };
inline constexpr const char* kPartNames[] = {"call", "plan", "run", "record", "wait", "submit"};

struct Laps {
    std::atomic<bool> are_measured = false;
    std::array<std::atomic<std::int64_t>, std::size(kPartNames)> nanoseconds{};
};
inline Laps laps;  // of all devices

// Adds the time of its block to a part's.
class Lap {
  public:
    explicit Lap(Part part) noexcept
        : part_(part), is_measured_(laps.are_measured.load(std::memory_order_relaxed)) {
        if (is_measured_) start_ = Clock::now();
    }
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;
    ~Lap() {
        if (!is_measured_) return;
        const std::chrono::nanoseconds spent = Clock::now() - start_;
        laps.nanoseconds[static_cast<std::size_t>(part_)].fetch_add(spent.count(),
                                                                    std::memory_order_relaxed);
    }

  private:
    using Clock = std::chrono::steady_clock;

    Part part_;
    bool is_measured_;
    Clock::time_point start_;
};

}  // namespace dmlindex::d3d12
