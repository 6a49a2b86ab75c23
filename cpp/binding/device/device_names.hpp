// The D3D12 devices of this process by name. In builds with D3D12 only.
#pragma once

#include <memory>
#include <string>

#include "d3d12/backend.hpp"

namespace dmlindex::binding {

// The device of a name like "d3d12" or "d3d12:1"; the same one each time. Error(kDevice) if it is
// not there or was removed, Error(kValue) if no device can have that name. Called with the GIL.
std::shared_ptr<d3d12::Device> device_named(const std::string& op, const std::string& name);
// The same, but in the place of a device that was removed comes a new one.
std::shared_ptr<d3d12::Device> open_device(const std::string& op, const std::string& name);
// With its number, as dmlindex.devices() lists it.
std::string name_of(const d3d12::Device& device);

}  // namespace dmlindex::binding
