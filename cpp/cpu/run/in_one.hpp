// Indices resolved and elements moved in one, where a kernel does both.
#pragma once

#include <optional>

#include "cpu/run/free_dims.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/tiles.hpp"

namespace dmlindex::cpu {

// By the job's look-up or its update, along the last dim; or nothing, where neither can. False if
// an index is out of range; some positions may have been moved by then.
std::optional<bool> execute_in_one(const Job& job, const Partition& parts) noexcept;

// By the look-up of elements whose positions have places of their own in the table, a tile at a
// time.
std::optional<bool> look_up_placed(const Job& job, const Partition& parts,
                                   const Tile& tile) noexcept;

}  // namespace dmlindex::cpu
