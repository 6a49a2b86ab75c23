// Linear plans whose indices are not all in range.
#pragma once

#include "cpu/backend.hpp"

namespace dmlindex::cpu {

// Runs a linear plan (see Line in plan.hpp); the copy that a scatter starts with is done. Whatever
// the indices are, and even if they change meanwhile, nothing outside the tensors is touched.
void run_linear(const Plan& plan, const Buffers& buffers);

}  // namespace dmlindex::cpu
