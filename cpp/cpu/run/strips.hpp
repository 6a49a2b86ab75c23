// Indexing along an axis other than the last, column strip by column strip.
//
// Neighbouring columns take different rows, so that a row's cache line serves one element and is
// gone when the next column wants it; and where rows are a power of two apart, they fight for the
// same sets of the cache. A strip of columns packed into a buffer of L2's size has neither trouble.
// Indices are read once, as they lie in memory, and held strip after strip in a few bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/run/held_rows.hpp"
#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// The job's dims are some outer ones, the one that walks along the indexed axis, and the columns.
class Strips {
  public:
    // Whether strips pay for their packing.
    static bool pay(const Job& job) noexcept;

    // Whether strips go through the whole of a table of so many bytes.
    static bool cover(const Job& job, std::int64_t table_bytes) noexcept;

    // For a job for which strips pay, with room for all of its indices or for those of one outer
    // position at a time. What the table of a scatter holds before lies in source, as it lies in
    // the table.
    Strips(const Job& job, const std::byte* source, bool holds_all) noexcept;
    bool has_memory() const noexcept { return packed_ != nullptr && held_.has_memory(); }

    // Holds every index, or returns false if one is out of range; then everything can be moved.
    bool hold_all() noexcept;
    bool move_all() noexcept;  // true

    // One outer position after the other.
    bool hold_and_move() noexcept;

  private:
    struct Strip;

    const Dim& walk() const noexcept { return job_.dims[job_.rank - 2]; }
    const Dim& column() const noexcept { return job_.dims[job_.rank - 1]; }
    std::int64_t limit() const noexcept { return job_.coordinates[0].limit; }
    bool gathers() const noexcept { return job_.direction == Direction::kGather; }
    template <class Visit>
    bool each_outer(Visit visit) const noexcept;
    bool hold(const Buffers& at, std::int64_t outer) noexcept;
    std::int64_t lead_of(const Buffers& at) const noexcept;
    void move(const Buffers& at, std::int64_t outer) const noexcept;
    void move_strip(const Strip& strip) const noexcept;

    Job job_;
    std::int64_t columns_;  // of a strip
    HeldRows held_;
    Lines packed_;
};

}  // namespace dmlindex::cpu
