// dmlindex.DeviceTensor. In builds with D3D12 only.
#pragma once

#include <memory>
#include <string>

#include "binding/arrays/array.hpp"
#include "binding/device/device_names.hpp"
#include "d3d12/backend.hpp"

namespace dmlindex::binding {

// A tensor in device memory, packed in C order.
struct DeviceTensor {
    std::shared_ptr<d3d12::Memory> memory;  // null once it was released
    Layout layout;
    py::object dtype;
};

// The tensor that a Python object is, or null. Error(kValue) for one that was released.
DeviceTensor* as_device_tensor(const char* op, const char* argument, PyObject* object);
extern PyTypeObject* device_tensor_type;  // set once, at import
inline bool is_device_tensor(PyObject* object) noexcept {
    return object != nullptr && Py_TYPE(object) == device_tensor_type;
}
py::object new_device_tensor(DeviceTensor tensor);

// The bytes of an array of plain bytes, packed, on the device.
std::shared_ptr<d3d12::Memory> upload(const std::shared_ptr<d3d12::Device>& device,
                                      const Array& array);
void add_device_tensors(py::module_& module);

}  // namespace dmlindex::binding
