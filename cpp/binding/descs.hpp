// Python's descriptors, plain frozen values, as the C++ structs.
#pragma once

#include <pybind11/pybind11.h>

#include "operators/descs.hpp"

namespace dmlindex::binding {

TensorDesc tensor_desc_from_python(pybind11::handle desc);
OperatorDesc operator_desc_from_python(pybind11::handle desc);
FeatureLevel feature_level_from_python(pybind11::handle level);

void register_descs(pybind11::module_& module);

}  // namespace dmlindex::binding
