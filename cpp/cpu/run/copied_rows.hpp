// Scatters that copy a few rows of the table at a time, and update each while a cache has it.
#pragma once

#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// Whether the job, whose source is still to be copied, goes that way: each step along its first dim
// has a short row of a large table to itself.
bool goes_by_copied_rows(const Plan& plan) noexcept;

// execute() together with copy_source().
bool execute_copied_rows(const Plan& plan, const Job& job, int threads);

}  // namespace dmlindex::cpu
