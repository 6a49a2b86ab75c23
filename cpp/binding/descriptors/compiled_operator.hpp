// dmlindex.CompiledOperator: a descriptor that was lowered once, called as op(input, indices[,
// updates],
// *, out=None).
#pragma once

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

void add_compiled_operator(py::module_& module);

}  // namespace dmlindex::binding
