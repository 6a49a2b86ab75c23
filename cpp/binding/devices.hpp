// Devices as Python names them.
#pragma once

#include "binding/numpy.hpp"

namespace dmlindex::binding {

// Checks the argument device of the functions: None, "cpu" or its Device. Error(kDevice) for one
// that is not there.
void check_device(const char* op, PyObject* device);

// The thread functions and devices().
void add_devices(py::module_& module);

}  // namespace dmlindex::binding
