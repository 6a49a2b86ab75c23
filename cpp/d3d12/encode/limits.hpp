// What is too large for the kernels.
#pragma once

#include <vector>

#include "d3d12/encode/choose.hpp"
#include "plan/plan.hpp"

namespace dmlindex::d3d12 {

// Some of a plan's positions, and the parts of the tensors that they reach.
struct Section {
    Plan plan;
    Tensors tensors;
};

// Where a plan reaches further than views: as plans that don't, to be run one after the other, when
// the source is copied, which none of them does. None where it is fine as it is. Throws
// Error(kDevice) that says why the device cannot run a plan.
std::vector<Section> find_sections(const Plan& plan, const Tensors& tensors, const Reach& reach);

}  // namespace dmlindex::d3d12
