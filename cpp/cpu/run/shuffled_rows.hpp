// Rows of the table that share their indices, some of them at a time: what their items are made of
// is worked out once, as byte shuffles.
#pragma once

#include "cpu/run/free_dims.hpp"

namespace dmlindex::cpu {

// Moves a row of positions along the free dims before it. False, with nothing moved, where that
// does not pay or the kernels have no shuffle.
bool move_shuffled_rows(const Job& job, const Partition& parts, const Block& row) noexcept;

// Whether that is so, before the indices are known, of a row of indices into a packed row of the
// table; it says so only of short ones, which take no longer than to look each index up.
bool shuffles_short_rows(const Job& job, const Partition& parts) noexcept;

}  // namespace dmlindex::cpu
