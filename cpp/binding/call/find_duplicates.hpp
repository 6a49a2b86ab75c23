// find_duplicates as a Python function.
#pragma once

#include "binding/numpy.hpp"

namespace dmlindex::binding {

PyMethodDef find_duplicates_method();

}  // namespace dmlindex::binding
