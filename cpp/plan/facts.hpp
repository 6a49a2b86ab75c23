// What follows from a plan alone, whoever runs it.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"

namespace dmlindex {

std::int64_t position_count(const Plan& plan) noexcept;

// The numbers in indices, those that no position reads included.
std::int64_t index_count(const Plan& plan) noexcept;

// Whether the plan fails whatever its indices are: an axis of size 0 has no place that a mode could
// give them.
bool has_no_place(const Plan& plan) noexcept;

// Whether the values of the indices can make the plan fail.
bool may_fail(const Plan& plan) noexcept;

// How much of the table indices reach from where a position's dims put them, in bytes.
std::int64_t reached_bytes(const Plan& plan) noexcept;

// How many addresses of a linear plan's table are both on the line and there.
std::int64_t present_elements(const Line& line) noexcept;

}  // namespace dmlindex
