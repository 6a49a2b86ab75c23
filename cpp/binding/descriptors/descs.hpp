// Python's descriptors, plain frozen values, as the C++ structs.
#pragma once

#include "binding/python/numpy.hpp"
#include "dmlindex/descs.hpp"

namespace dmlindex::binding {

TensorDesc tensor_desc_from_python(py::handle desc);
OperatorDesc operator_desc_from_python(py::handle desc);
FeatureLevel feature_level_from_python(py::handle level);

void add_descs(py::module_& module);

}  // namespace dmlindex::binding
