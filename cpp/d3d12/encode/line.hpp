// Linear plans, as the kernels take them: kModeLinear.
#pragma once

#include "d3d12/encode/choose.hpp"

namespace dmlindex::d3d12 {

// The same plan for these tensors: no address is behind them, and a scatter's slices begin at
// multiples of their size, but where addresses wrap.
Plan put_on_line(const Plan& plan, const Tensors& tensors) noexcept;

// Whether slices of a scatter that are not the same may overlap, as addresses wrap at what is no
// multiple of a slice. Winners are found by slices; scatter_in_order.hlsl does what is left.
bool slices_may_cross(const Plan& plan) noexcept;

}  // namespace dmlindex::d3d12
