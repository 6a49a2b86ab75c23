// Reductions: every target's updates one by one, in C order of the indices.
#pragma once

#include "d3d12/encode.hpp"

namespace dmlindex::d3d12 {

// Queues the kernels of a scatter with a reduction, after the copy.
void encode_reduction(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                      const Slot& slot);

}  // namespace dmlindex::d3d12
