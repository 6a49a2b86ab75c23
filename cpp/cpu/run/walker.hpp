// Positions in C order.
#pragma once

#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

// Walks the positions of some dims in C order, a run along the last dim at a time.
class PositionWalker {
  public:
    // Keeps dims. Without dims there is one position.
    PositionWalker(const Dim* dims, int rank, std::int64_t first_position) noexcept;

    std::int64_t left_in_run() const noexcept { return run_.size - along_; }
    bool at_end() const noexcept { return at_end_; }  // after the last position
    void advance(std::int64_t count) noexcept;        // count ≤ left_in_run()

    // Where the current position is.
    std::int64_t table_offset() const noexcept {
        return row_.table_stride + along_ * run_.table_stride;
    }
    std::int64_t item_offset() const noexcept {
        return row_.item_stride + along_ * run_.item_stride;
    }
    std::int64_t index_offset() const noexcept {
        return row_.index_stride + along_ * run_.index_stride;
    }
    const Dim& run() const noexcept { return run_; }

    // The next count positions of the run, count ≤ left_in_run().
    IndexRun index_run(const std::byte* indices, std::int64_t count, const Coordinate* coordinates,
                       int coordinate_count) const noexcept {
        return {indices + index_offset(), run_.index_stride, count,
                table_offset(),           run_.table_stride, coordinates,
                coordinate_count,         nullptr,           run_.size >= IndexRun::kLongRow};
    }

  private:
    const Dim* dims_;
    int row_rank_;  // dims before the last
    Dim run_{1, 0, 0, 0};
    Dim row_{0, 0, 0, 0};  // offsets of the current run's first position
    std::int64_t along_ = 0;
    bool at_end_ = false;
    std::int64_t counter_[kMaxDims];
};

}  // namespace dmlindex::cpu
