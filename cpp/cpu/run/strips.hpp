// Indexing along an axis other than the last, column strip by column strip.
//
// Neighbouring columns take different rows, so that a row's cache line serves one element and is
// gone when the next column wants it; and where rows are a power of two apart, they fight for the
// same sets of the cache. A strip of columns packed into a buffer of L2's size has neither trouble.
#pragma once

#include <optional>

#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// Runs the job in strips and says whether it succeeded; nothing if strips would not pay for their
// packing.
std::optional<bool> execute_in_strips(const Job& job) noexcept;

}  // namespace dmlindex::cpu
