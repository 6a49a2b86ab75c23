// Where a call runs, and operands that lie on a D3D12 device. A build without D3D12 has none.
#pragma once

#include <memory>
#include <string>

#include "binding/call/invocation.hpp"
#include "binding/device/devices.hpp"

#ifdef DMLINDEX_HAS_D3D12

#include "binding/device/device_tensor.hpp"

namespace dmlindex::binding {

using DevicePtr = std::shared_ptr<d3d12::Device>;
using MemoryPtr = std::shared_ptr<d3d12::Memory>;

// Throws unless all operands that are device tensors lie on the device (null: the CPU) that the
// call runs on: Error(kDevice) if one of the two was removed, else Error(kValue).
void check_places(const char* op, const DevicePtr& device, const Arguments& given);

// The device that the argument device names, else the one that the operands lie on; null for the
// CPU. All must agree.
DevicePtr find_device_of_call(const char* op, const Arguments& given);
inline DevicePtr device_of_call(const char* op, const Arguments& given) {
    const bool is_on_host =
        !given.has(Parameter::kDevice) && !is_device_tensor(given[Parameter::kInput]) &&
        !is_device_tensor(given[Parameter::kIndices]) &&
        !is_device_tensor(given[Parameter::kUpdates]) && !is_device_tensor(given[Parameter::kOut]);
    return is_on_host ? nullptr : find_device_of_call(op, given);
}

// Looks at a device tensor. Error(kValue) for one that was released.
void look_at_tensor(const char* op, const char* argument, PyObject* object, Tensor& tensor);
// The same for indices: Error(kType) unless of an integer dtype of native byte order.
void look_at_index_tensor(const char* op, PyObject* object, Tensor& tensor);

// Error(kDevice) that names the CPU if devices don't have the call's reduction.
void check_reduction_on_device(const char* op, const Invocation& call);

// The device of a name: null for "cpu". Throws as device_named.
DevicePtr device_or_cpu(const char* op, const std::string& name);
// The name of a device: "cpu" for null.
std::string place_name(const DevicePtr& device);

}  // namespace dmlindex::binding

#else

namespace dmlindex::binding {

using DevicePtr = std::shared_ptr<d3d12::Device>;

inline bool is_device_tensor(PyObject*) noexcept { return false; }
inline void check_places(const char*, const DevicePtr&, const Arguments&) noexcept {}
inline DevicePtr device_of_call(const char* op, const Arguments& given) {
    check_device(op, given[Parameter::kDevice]);  // refuses all but "cpu"
    return nullptr;
}
inline void look_at_tensor(const char*, const char*, PyObject*, Tensor&) noexcept {}
inline void look_at_index_tensor(const char*, PyObject*, Tensor&) noexcept {}
inline void check_reduction_on_device(const char*, const Invocation&) noexcept {}
inline DevicePtr device_or_cpu(const char*, const std::string&) { return nullptr; }
inline std::string place_name(const DevicePtr&) { return "cpu"; }
inline PyObject* run_on_device(Invocation&) { return nullptr; }

}  // namespace dmlindex::binding

#endif
