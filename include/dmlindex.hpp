// For C++ users: everything from a descriptor to its result, without Python.
//
//     std::vector<Violation> broken = validate(desc);     // every broken rule, with reasons
//     CompiledOperator op(desc);                          // throws Error where there is one
//     run(op, {.input = x, .indices = i, .output = y});   // as often as you like
//
// set_num_threads(n) says how many threads a call may use. Link to the CMake target dmlindex::core;
// examples/ has a whole program.
#pragma once

#include <cstddef>
#include <optional>

#include "cpu/backend.hpp"
#include "dmlindex/compile.hpp"
#include "dmlindex/descs.hpp"
#include "dmlindex/error.hpp"
#include "dmlindex/validate.hpp"
#include "parallel/parallel.hpp"

namespace dmlindex {

// The first bytes of the tensors, which lie there as their descs say.
struct TensorData {
    const void* input = nullptr;
    const void* indices = nullptr;
    const void* updates = nullptr;  // only for scatters
    void* output = nullptr;
};

// Runs the operator on the CPU. Nothing, or with Mode::kRaise the first index out of range: then
// nothing is written. output overlaps no other tensor; but a scatter's may be its input, if the two
// have the same strides. Safe to call from many threads, each with an output of its own. Throws
// Error(kValue) for a pointer that is null.
[[nodiscard]] std::optional<cpu::BadIndex> run(const CompiledOperator& op,
                                               const TensorData& tensors);

}  // namespace dmlindex
