// A call of so few positions that all of them are resolved before the first is moved: a failed one
// has moved nothing, and a tiny one goes without the parts of a job that only larger ones gain by.
#pragma once

#include "cpu/backend.hpp"
#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

// Runs a plan of kBlockPositions at most, and of one at least. copies: whether a scatter's source
// is still to be copied. look_up: for a plan that is one packed row, where it may move some before
// the last is checked; else null. far: the table is rather not in cache. False if an index is out
// of range; without look_up nothing has been written then.
bool run_few(const Plan& plan, const Buffers& buffers, bool copies, LookUpKernel look_up, bool far);

}  // namespace dmlindex::cpu
