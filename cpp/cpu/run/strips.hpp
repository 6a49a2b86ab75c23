// Indexing along an axis other than the last, column strip by column strip.
//
// Neighbouring columns take different rows, so that a row's cache line serves one element and is
// gone when the next column wants it; and where rows are a power of two apart, they fight for the
// same sets of the cache. A strip of columns packed into a buffer of L2's size has neither trouble.
// Indices are read once, as they lie in memory, and held strip after strip in a few bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// The job's dims are some outer ones, the one that walks along the indexed axis, and the columns.
class Strips {
  public:
    // Whether strips pay for their packing.
    static bool pay(const Job& job) noexcept;

    // For a job for which strips pay, with room for all of its indices or for those of one outer
    // position at a time.
    Strips(const Job& job, bool holds_all) noexcept;
    bool has_memory() const noexcept { return packed_ != nullptr && held_ != nullptr; }

    // Holds every index, or returns false if one is out of range; then everything can be moved.
    bool hold_all() noexcept;
    void move_all() noexcept;

    // One outer position after the other.
    bool hold_and_move() noexcept;

  private:
    using HeldRow = std::uint16_t;  // what an index is held as: a row of the table
    struct FreeLines {
        void operator()(std::byte* bytes) const noexcept;
    };
    struct Strip;

    const Dim& walk() const noexcept { return job_.dims[job_.rank - 2]; }
    const Dim& column() const noexcept { return job_.dims[job_.rank - 1]; }
    std::int64_t limit() const noexcept { return job_.coordinates[0].limit; }
    bool gathers() const noexcept { return job_.direction == Direction::kGather; }
    template <class Visit>
    bool each_outer(Visit visit) const noexcept;
    std::int64_t lead_of(const Buffers& at) const noexcept;
    std::int64_t end_of_strip(std::int64_t first, std::int64_t lead) const noexcept;
    bool hold_run(const IndexRun& run, HeldRow* held) const noexcept;
    bool hold(const Buffers& at, HeldRow* held) const noexcept;
    void move(const Buffers& at, const HeldRow* held) const noexcept;
    void move_strip(const Strip& strip) const noexcept;

    static constexpr int kHeldWidth = 1;  // of Kernels::unpack
    Job job_;
    std::int64_t columns_;     // of a strip
    std::int64_t held_apart_;  // an outer position's held rows
    std::unique_ptr<std::byte[], FreeLines> packed_;
    std::unique_ptr<HeldRow[]> held_;
};

}  // namespace dmlindex::cpu
