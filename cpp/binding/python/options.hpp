// Reading one argument that is no array. Each takes the default where it is null.
#pragma once

#include "binding/python/numpy.hpp"
#include "plan/plan.hpp"

namespace dmlindex::binding {

std::int64_t read_integer(const char* op, const char* name, PyObject* value);
inline std::int64_t integer_argument(const char* op, const char* name, PyObject* value,
                                     std::int64_t otherwise) {
    return value == nullptr ? otherwise : read_integer(op, name, value);
}
bool read_flag(const char* op, const char* name, PyObject* value);
inline bool flag_argument(const char* op, const char* name, PyObject* value) {
    return value != nullptr && read_flag(op, name, value);
}
Mode read_mode(const char* op, PyObject* value, Direction direction);
inline Mode mode_argument(const char* op, PyObject* value, Direction direction) {
    return value == nullptr ? Mode::kRaise : read_mode(op, value, direction);
}
// A compiled descriptor's.
Mode compile_mode_argument(const char* op, PyObject* value, Direction direction);
const char* mode_name(Mode mode, Direction direction);
Reduction read_reduction(const char* op, PyObject* value);
inline Reduction reduction_argument(const char* op, PyObject* value) {
    return value == nullptr ? Reduction::kNone : read_reduction(op, value);
}

}  // namespace dmlindex::binding
