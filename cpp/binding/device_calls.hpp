// The functions on a D3D12 device.
#pragma once

#include "binding/operator_tables.hpp"

#ifdef DMLINDEX_HAS_D3D12

#include "binding/device_tensor.hpp"
#include "binding/devices.hpp"

namespace dmlindex::binding {

// Whether a call is for a D3D12 device: it names one, or one of its operands lies on one.
template <class... Objects>
bool is_device_call(const char* op, PyObject* device, Objects*... operands) {
    return (is_device_tensor(operands) || ...) || names_d3d12(op, device);
}

// What the entry points do then. The result is a DeviceTensor if one of the operands is, else an
// array; out, if given.
PyObject* gather_on_device(const GatherOperator& kind, const Arguments& given);
PyObject* scatter_on_device(const ScatterOperator& kind, const Arguments& given);

// Error(kDevice) that names the CPU if devices don't have the reduction.
void check_reduction(const char* op, const py::object& dtype, const Arithmetic& arithmetic,
                     Reduction reduction);

}  // namespace dmlindex::binding

#else  // a name like "d3d12" is refused by check_device

namespace dmlindex::binding {

template <class... Objects>
constexpr bool is_device_call(const char*, PyObject*, Objects*...) noexcept {
    return false;
}
inline PyObject* gather_on_device(const GatherOperator&, const Arguments&) { return nullptr; }
inline PyObject* scatter_on_device(const ScatterOperator&, const Arguments&) { return nullptr; }

}  // namespace dmlindex::binding

#endif
