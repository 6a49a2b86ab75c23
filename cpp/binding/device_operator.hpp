// A compiled operator on a D3D12 device.
#pragma once

#include "binding/bound_operator.hpp"

#ifdef DMLINDEX_HAS_D3D12

namespace dmlindex::binding {

// The device that a compiled operator is for by that name: null for "cpu". Throws as device_named.
std::shared_ptr<d3d12::Device> device_or_cpu(const char* op, const std::string& name);
// The name of an operator's device.
std::string place_of(const BoundOperator& op);

// What a call does then. The result is a DeviceTensor if one of the operands is, else an array;
// out, if given.
PyObject* call_on_device(const BoundOperator& op, const CallArguments& given);

// Error(kValue) if an operand of an operator for the CPU lies on a device.
void refuse_device_tensors(const BoundOperator& op, const CallArguments& given);

}  // namespace dmlindex::binding

#else  // there are no such devices

namespace dmlindex::binding {

inline std::shared_ptr<d3d12::Device> device_or_cpu(const char*, const std::string&) {
    return nullptr;
}
inline std::string place_of(const BoundOperator&) { return "cpu"; }
inline PyObject* call_on_device(const BoundOperator&, const CallArguments&) { return nullptr; }
inline void refuse_device_tensors(const BoundOperator&, const CallArguments&) noexcept {}

}  // namespace dmlindex::binding

#endif
