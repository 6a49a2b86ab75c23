// What is too large for the kernels.
#pragma once

#include "d3d12/encode/choose.hpp"
#include "plan/plan.hpp"

namespace dmlindex::d3d12 {

// Throws Error(kDevice) that says why the device cannot run a plan.
void check_supported(const Plan& plan, const Tensors& tensors, bool typed_views);

}  // namespace dmlindex::d3d12
