// For C++ users: everything from a descriptor to its result, without Python.
//
//     std::vector<Violation> broken = validate(desc);     // every broken rule, with reasons
//     CompiledOperator op(desc);                          // throws Error where there is one
//     run(op, {.input = x, .indices = i, .output = y});   // as often as you like
//
// set_num_threads(n) says how many threads a call may use. <dmlindex/directml.hpp>, which is not
// among these, takes DirectML's own structs. Link to the CMake target dmlindex::core; examples/ has
// whole programs.
#pragma once

#include "dmlindex/compile.hpp"
#include "dmlindex/descs.hpp"
#include "dmlindex/error.hpp"
#include "dmlindex/threads.hpp"
#include "dmlindex/validate.hpp"
