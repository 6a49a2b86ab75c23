// A call of so few positions that all of them are resolved before the first is moved, so that a
// failed one has moved nothing.
#pragma once

#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// Writes an offset for each position, of which there are kBlockPositions at most. False if an index
// is out of range.
bool resolve_all(const Job& job, std::int64_t* offsets) noexcept;

void move_all(const Job& job, const std::int64_t* offsets) noexcept;

}  // namespace dmlindex::cpu
