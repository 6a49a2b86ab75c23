// Finding the updates of a scatter that have no effect.
#pragma once

#include <vector>

#include "cpu/backend.hpp"

namespace dmlindex::cpu {

// The positions (flat, in C order of the plan's dims) whose target a later position writes too,
// ascending; a position that the mode skips has no target. Or the first index out of range. The
// plan is not canonicalised: its dims are those of the indices.
std::optional<BadIndex> find_overwritten(const Plan& plan, const std::byte* indices,
                                         std::vector<std::int64_t>& positions);

}  // namespace dmlindex::cpu
