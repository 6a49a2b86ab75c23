// Reading one argument that is no array. Each takes the default where it is null.
#pragma once

#include "binding/python/numpy.hpp"
#include "plan/plan.hpp"

namespace dmlindex::binding {

std::int64_t integer_argument(const char* op, const char* name, PyObject* value,
                              std::int64_t otherwise);
bool flag_argument(const char* op, const char* name, PyObject* value);
Mode mode_argument(const char* op, PyObject* value, Direction direction);
// A compiled descriptor's.
Mode compile_mode_argument(const char* op, PyObject* value, Direction direction);
const char* mode_name(Mode mode, Direction direction);
Reduction reduction_argument(const char* op, PyObject* value);

}  // namespace dmlindex::binding
