// find_duplicates as a Python function.
#pragma once

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

PyMethodDef find_duplicates_method();

}  // namespace dmlindex::binding
