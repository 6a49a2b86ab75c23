// A plan made ready to run on one thread: the kernels chosen, the pointers set. Splitting a job
// among threads only changes sizes and pointers.
#pragma once

#include <cstdlib>

#include "cpu/backend.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/run/tuples.hpp"

namespace dmlindex::cpu {

// Positions resolved at a time: their offsets fill a quarter of L1.
inline constexpr std::int64_t kBlockPositions = 1024;

struct Job {
    Direction direction;
    int rank;
    int coordinate_count;
    const Coordinate* coordinates;
    ResolveKernel resolve;
    HoldKernel hold;
    MoveKernel move;
    MoveKernel move_any_size;     // the same for slices of another size
    LookUpKernel look_up;         // for packed elements; null where there is none
    LookUpKernel look_up_singly;  // the same, to be tried; null where it is not another one
    LookUpKernel look_up_placed;  // the same for positions with places of their own
    TupleKernels tuples;
    UpdateKernel update;
    const UpdateKernel* updates;  // by index type: update is one of them
    // For strided slices that are not skipped; null where they are reduced or compressed.
    CopyKernel copy;
    CompressKernel compress;  // for elements; null for larger slices
    StreamKernel stream;      // for a large result of long slices; null for others
    std::int64_t reached;     // so many bytes of the table are there for indices to lead to
    bool reduces;
    std::int64_t many_in_a_row;  // so many updates of a place are quicker in a register
    bool asks_for_items;  // a gather's rows, before they are written: L1 does not hold them all
    bool fetches_table;   // look-ups ask ahead: it is larger than the caches of which they need not
    bool far;             // the table is larger than the caches
    bool
        asks_for_updates;  // so are its lines for the update's stores, or they wait for L2 too long
    bool items_are_far;    // items and indices come from memory
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

Job make_job(const Plan& plan, const Buffers& buffers, int threads) noexcept;

// Whether random places of the table, of which indices reach so many bytes, had better be asked for
// ahead: they are rather not in cache, or in one that answers late, which a call of many positions
// tries. A scatter gains by it earliest, as its stores wait for their lines in order.
bool table_is_far(const Plan& plan, std::int64_t reached) noexcept;

// What looks up the elements of a row, and what is to be tried against it: null where that is
// nothing else. Both are null where there is none.
struct LookUps {
    LookUpKernel usual;
    LookUpKernel singly;
};

// None, where the plan is no gather of one coordinate, or the ISA has none for it. reached: how
// many bytes of the table indices reach, or 0 where that makes no difference.
LookUps choose_look_ups(const Plan& plan, std::int64_t reached) noexcept;

// What updates single elements of so many packed places, by index type; null where there is none.
const UpdateKernel* updates_for(const Kernels& table, const Plan& plan,
                                std::int64_t places) noexcept;

// What moves slices of a class; may_skip: some offsets may be kSkipped.
inline MoveKernel choose_move(const Kernels& table, const Plan& plan, int slice,
                              bool may_skip) noexcept {
    if (plan.reduction != Reduction::kNone) {
        return table.reduce[static_cast<int>(plan.value_type)][static_cast<int>(plan.reduction)];
    }
    if (plan.direction == Direction::kGather) {
        return may_skip ? table.gather_or_fill[slice] : table.gather[slice];
    }
    return may_skip ? table.scatter_or_drop[slice] : table.scatter[slice];
}

// Whether the job's order along the dim does not matter: a gather's never does; a scatter's
// positions with a stride in the table of their own never meet.
inline bool independent(const Job& job, const Dim& dim) noexcept {
    return job.direction == Direction::kGather || dim.table_stride != 0;
}

// How far apart in the table the places of positions lie before any index.
inline std::int64_t spread_bytes(const Dim* dims, int rank) noexcept {
    std::int64_t bytes = 0;
    for (int d = 0; d < rank; ++d) bytes += (dims[d].size - 1) * std::abs(dims[d].table_stride);
    return bytes;
}

// A run of positions that look elements of a class up in a table of limit.
struct LookUpRun {
    int slice_class;
    std::int64_t limit;
    std::int64_t positions;
};

// Whether the table fits in registers, and is worth loading there.
inline bool goes_in_registers(const Kernels& kernels, LookUpRun run) noexcept {
    constexpr std::int64_t kPositionBytes = 8;
    return run.limit <= kernels.small_table[run.slice_class] &&
           run.limit * kClassBytes[run.slice_class] <= run.positions * kPositionBytes;
}

// Those that the ISA has, for a row that reaches so many bytes of the table.
LookUps look_ups_for(const Kernels& kernels, IndexType index_type, Mode mode, LookUpRun run,
                     std::int64_t reached) noexcept;

inline LookUpKernel look_up_placed_for(const Kernels& kernels, IndexType index_type, Mode mode,
                                       std::int64_t element_bytes) noexcept {
    return kernels.look_up_placed[static_cast<int>(index_type)][static_cast<int>(mode)]
                                 [slice_class(element_bytes)];
}

inline LineLookUpKernel line_look_up_for(const Kernels& kernels, IndexType index_type,
                                         LookUpRun run) noexcept {
    const auto& slots =
        goes_in_registers(kernels, run) ? kernels.line_look_up_small : kernels.line_look_up;
    return slots[static_cast<int>(index_type)][run.slice_class];
}

// What the job's last dim looks up, if it does: elements of a row of the table.
inline LookUpRun look_up_run(const Job& job) noexcept {
    return {slice_class(job.slice_bytes), job.coordinates[0].limit, job.dims[job.rank - 1].size};
}

// Resolves and moves block by block, in C order. False if an index is out of range; some blocks may
// have been moved by then. There is at least one position and one byte to move.
bool execute(const Job& job) noexcept;

// Moves a block, past the caches if the result is large: then through the carry.
void deliver(const Job& job, const Block& block, Carry& carry) noexcept;

// Positions first to first + count of a block.
inline Block piece_of(Block block, std::int64_t first, std::int64_t count) noexcept {
    block.offsets += first;
    block.items += first * block.item_stride;
    block.count = count;
    return block;
}

// Skips what another thread moves: all but the targets with an offset in [first, last).
inline void skip_outside(std::int64_t* offsets, std::int64_t count, std::int64_t first,
                         std::int64_t last) noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
        const bool own = offsets[i] >= first && offsets[i] < last;
        offsets[i] = own ? offsets[i] : kSkipped;
    }
}

}  // namespace dmlindex::cpu
