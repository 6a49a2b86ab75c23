// The thresholds by which a D3D12 device takes its kernels. In builds with D3D12 only.
#pragma once

#include "binding/python/numpy.hpp"
#include "d3d12/backend.hpp"

namespace dmlindex::binding {

// Gives a device that was just opened the profile that the user has of it, if any.
void use_kept_profile(d3d12::Device& device);

void add_device_profiles(py::module_& module);

}  // namespace dmlindex::binding
