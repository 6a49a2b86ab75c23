// Results that are made in memory of their own first.
#pragma once

#include "plan/plan.hpp"

namespace dmlindex::cpu {

// How many bytes a run whose indices have to be checked first writes to memory of its own, to copy
// them in the end, so that indices need not be read before the first is written. 0 where that takes
// longer than to hold their offsets: where a result is not much smaller than they are, or does not
// stay in a cache.
std::int64_t bytes_aside(const Plan& plan) noexcept;

}  // namespace dmlindex::cpu
