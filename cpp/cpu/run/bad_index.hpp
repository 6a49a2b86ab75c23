// Finding the index that failed a call. Kernels only know that there is one; this looks for the
// first.
#pragma once

#include "cpu/backend.hpp"

namespace dmlindex::cpu {

// The first index of plan.index_dims, in C order, that is not in [−limit, limit), or [0, limit) if
// unsigned; under clamp and wrap, the first along an axis without places. There is at least one
// index.
std::optional<BadIndex> first_bad_index(const Plan& plan, const std::byte* indices) noexcept;

}  // namespace dmlindex::cpu
