// A plan made ready to run on one thread: the kernels chosen, the pointers set. Splitting a job
// among threads only changes sizes and pointers.
#pragma once

#include "cpu/backend.hpp"
#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

struct Job {
    Direction direction;
    int rank;
    int coordinate_count;
    const Coordinate* coordinates;
    ResolveKernel resolve;
    MoveKernel move;
    MoveKernel move_any_size;  // the same for slices of another size
    LookUpKernel
        look_up;      // for packed elements; null where there is none or the table is not in cache
    CopyKernel copy;  // for strided slices; null where a move does more than copy
    CompressKernel compress;  // for elements; null for larger slices
    StreamKernel stream;      // for a large result of long slices; null for others
    bool far;                 // the table is larger than the caches
    Buffers buffers;
    std::int64_t index_bytes;
    std::int64_t slice_bytes;
    std::int64_t element_bytes;
    bool whole_elements;  // a slice is more than its bytes: it is taken apart between elements only
    const std::byte* fill;
    const std::byte* byte_table;
    // Only targets with an offset in [first_offset, last_offset) are moved; all of them, if
    // first_offset is kSkipped. Threads share a scatter by destination so.
    std::int64_t first_offset;
    std::int64_t last_offset;
    Dim dims[kMaxDims];
};

// Whether the job's order along the dim does not matter: a gather's never does; a scatter's
// positions with a stride in the table of their own never meet.
inline bool independent(const Job& job, const Dim& dim) noexcept {
    return job.direction == Direction::kGather || dim.table_stride != 0;
}

// Resolves and moves block by block, in C order. False if an index is out of range; some blocks may
// have been moved by then. There is at least one position and one byte to move.
bool execute(const Job& job) noexcept;

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
