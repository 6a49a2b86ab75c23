// Gathers whose indices make no difference.
#pragma once

#include <optional>

#include "cpu/backend.hpp"
#include "plan/plan.hpp"

namespace dmlindex::cpu {

// Runs a gather whose axes have one place each: once its indices are checked, all of them are the
// same. False if one is out of range; nothing where that does not pay, as checks take as long as
// other ways, or as short slices follow each other a few times only.
std::optional<bool> run_all_alike(const Plan& plan, const Buffers& buffers, int threads);

}  // namespace dmlindex::cpu
