// Devices as Python names them.
#pragma once

#include <string>

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

// The name that the argument device gives: a str, or a Device's. Error(kType) for anything else.
std::string device_name(const char* op, py::handle device);
// Whether the argument device (null, None, or as above) names a D3D12 device.
bool names_d3d12(const char* op, PyObject* device);

// Checks the argument device, and opens the device it names, whose full name it returns.
// Error(kDevice) if it is not there.
std::string check_device(const char* op, PyObject* device);

// The thread functions and devices().
void add_devices(py::module_& module);

}  // namespace dmlindex::binding
