// The five operators and find_duplicates as Python functions.
#pragma once

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

void add_functions(py::module_& module);

}  // namespace dmlindex::binding
