// The copy that a scatter starts with.
#pragma once

#include "cpu/backend.hpp"

namespace dmlindex::cpu {

// Copies source to table, as the plan's copy_dims say.
void copy_source(const Plan& plan, const Buffers& buffers);

}  // namespace dmlindex::cpu
