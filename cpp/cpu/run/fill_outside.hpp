// Filling what a gather found no place for, once all that is in range is there.
#pragma once

#include "cpu/backend.hpp"

namespace dmlindex::cpu {

// Writes the fill to all positions of a Mode::kSkip gather whose indices are out of range, and
// nothing to others.
void fill_outside(const Plan& plan, const Buffers& buffers, int threads);

}  // namespace dmlindex::cpu
