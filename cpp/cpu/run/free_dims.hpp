// Dims along which the index stays the same: a block is resolved once for all of them.
#pragma once

#include "cpu/kernels/carry.hpp"
#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// dims = [free dims before][position dims][free dims behind]. Along a free dim the index stays the
// same and the order does not matter; the position dims are those that indices are resolved for.
struct Partition {
    int before;
    int behind;
    int positions_rank;
    std::int64_t positions;
    std::int64_t free_count;
};

Partition partition(const Job& job) noexcept;

// Moves a block along every free dim: all of its positions at once, or one by one along a free dim
// where that is quicker.
void move_block(const Job& job, const Partition& parts, const Block& block, Carry& carry) noexcept;

}  // namespace dmlindex::cpu
