// A call of so few positions that all of them are resolved before the first is moved: a failed one
// has moved nothing, and a tiny one goes without the parts of a job that only larger ones gain by.
#pragma once

#include "cpu/backend.hpp"
#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

// Of few positions, those that move so many bytes at most.
inline constexpr std::int64_t kFewBytes = 16 << 10;
// From so many positions on, some are better run otherwise: packed or repeated.
inline constexpr std::int64_t kSomePositions = 128;

// The look-up for a plan that is one packed row of indices and of elements, or a single one; null
// for others.
LookUpKernel row_look_up(const Plan& plan) noexcept;

// Looks up a plan for which row_look_up has one. False where one needs the mode or fails it: then
// some may have been moved.
bool look_up_row(const Plan& plan, const Prepared& row, const Buffers& buffers) noexcept;

// Runs a plan of kBlockPositions at most, and of one at least. copies: whether a scatter's source
// is still to be copied. look_up: for a plan that is one packed row, where it may move some before
// the last is checked; else null. far: the table is rather not in cache. False if an index is out
// of range; without look_up nothing has been written then.
bool run_few(const Plan& plan, const Buffers& buffers, bool copies, LookUpKernel look_up, bool far);

}  // namespace dmlindex::cpu
