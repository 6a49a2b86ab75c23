// What calls on a D3D12 device have in common: operands that lie there or are brought there, and
// queueing the plan.
#pragma once

#include <optional>

#include "binding/device_tensor.hpp"

namespace dmlindex::binding {

using DevicePtr = std::shared_ptr<d3d12::Device>;
using MemoryPtr = std::shared_ptr<d3d12::Memory>;

// An argument that is read: a tensor that lies on the device, or an array that is uploaded.
class Source {
  public:
    explicit Source(const DeviceTensor& tensor)
        : layout_(tensor.layout), dtype_(tensor.dtype), memory_(tensor.memory) {}
    Source(const char* op, Array array);

    // Packed.
    const Layout& layout() const noexcept { return layout_; }
    PyArray_Descr* dtype() const noexcept { return reinterpret_cast<PyArray_Descr*>(dtype_.ptr()); }
    const py::object& dtype_object() const noexcept { return dtype_; }
    std::int64_t element_bytes() const noexcept { return PyDataType_ELSIZE(dtype()); }

    // Where it lies on the device. An array is uploaded the first time.
    const MemoryPtr& memory(const DevicePtr& device);
    // Makes the memory another one than written, with the same bytes.
    void keep_apart(const DevicePtr& device, const MemoryPtr& written);

  private:
    Layout layout_;
    py::object dtype_;
    std::optional<Array> array_;
    MemoryPtr memory_;
};

// Throws unless the tensor lies on the device (null: the CPU) that the call runs on: Error(kDevice)
// if one of the two was removed, else Error(kValue).
void check_place(const char* op, const char* argument, const DeviceTensor& tensor,
                 const DevicePtr& device);

// Queues a canonical plan, with the GIL released. tuple_dim as in index_error_message, fresh as in
// d3d12::Device::run. An error of the device gets the operator's name.
void queue_plan(const char* op, const DevicePtr& device, const Plan& plan,
                const d3d12::Operands& operands, bool fresh, bool tuple_dim);

// Copies elements, all bytes of them, between arrays of one shape and dtype.
void copy_elements(const Array& to, const Array& from);

}  // namespace dmlindex::binding
