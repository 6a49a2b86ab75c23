// Linear plans (see Line in plan.hpp), whatever their indices are.
#pragma once

#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// Moves what a linear plan does; the copy that a scatter starts with is done. job: as if all
// indices were in range. Even if indices change meanwhile, nothing outside the tensors is touched.
void run_linear(const Plan& plan, const Job& job, int threads);

}  // namespace dmlindex::cpu
