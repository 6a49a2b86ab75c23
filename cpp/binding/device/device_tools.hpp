// The functions on D3D12 devices that the module has beside DeviceTensor. In builds with D3D12
// only.
#pragma once

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

void add_device_tools(py::module_& module);

}  // namespace dmlindex::binding
