// Indices resolved ahead of a move that must not begin before all of them are known to be good.
#pragma once

#include <memory>

#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// Every offset the coordinates can give lies in [lowest, lowest + steps·unit].
struct OffsetRange {
    std::int64_t lowest = 0;
    std::int64_t unit = 0;
    std::int64_t steps = 0;

    explicit OffsetRange(const Plan& plan) noexcept;

    // The class of the bytes that hold a number of steps: 1, 2, 4 or 8.
    int width_class() const noexcept;
};

// All indices of a call, resolved before anything is written, in as few bytes as hold them. They
// keep what was checked even if the indices change under the call.
class HeldOffsets {
  public:
    // False if an index is out of range.
    bool resolve(const Plan& plan, const std::byte* indices, int threads);

    // Makes the job read these offsets in place of its indices.
    void apply(Job& job) const noexcept;

  private:
    void apply_to_tuples(Job& job) const noexcept;

    int width_class_ = 0;
    std::int64_t lowest_ = 0;
    Coordinate unit_{};               // the stride of a step
    std::int64_t strides_[kMaxDims];  // of the plan's dims, in packed_
    std::unique_ptr<std::byte[]> packed_;
};

}  // namespace dmlindex::cpu
