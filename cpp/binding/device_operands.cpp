#include "binding/device_operands.hpp"

#include <string>

#include "binding/errors.hpp"
#include "error.hpp"

namespace dmlindex::binding {

Source::Source(const char* op, Array array)
    : layout_(array.layout()),
      dtype_(py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(array.dtype()))),
      array_(std::move(array)) {
    set_packed_strides(layout_, array_->element_bytes(), op);
}

const MemoryPtr& Source::memory(const DevicePtr& device) {
    if (!memory_) memory_ = upload(device, *array_);
    return memory_;
}

void Source::keep_apart(const DevicePtr& device, const MemoryPtr& written) {
    if (memory_ != written) return;
    const py::gil_scoped_release released;
    auto copy = std::make_shared<d3d12::Memory>(device, memory_->bytes());
    device->copy(*copy, *memory_);
    memory_ = std::move(copy);
}

void check_place(const char* op, const char* argument, const DeviceTensor& tensor,
                 const DevicePtr& device) {
    const DevicePtr& place = tensor.memory->device();
    if (place == device) return;
    const std::string text = std::string(op) + ": " + argument + " is a DeviceTensor on ";
    if (place->is_lost() || (device && device->is_lost())) {
        throw Error(ErrorKind::kDevice,
                    text + "another device than the call's, and " +
                        (place->is_lost() ? "its own" : "the call's") +
                        " was removed; open a new Device, and upload the tensors again");
    }
    throw Error(ErrorKind::kValue, text + name_of(*place) + ", but the call runs on " +
                                       (device ? name_of(*device) : std::string("cpu")) +
                                       "; pass what its numpy() returns");
}

void queue_plan(const char* op, const DevicePtr& device, const Plan& plan,
                const d3d12::Operands& operands, bool fresh, bool tuple_dim) {
    d3d12::Describe describe;  // the text of an index error, whenever it is wanted
    if (d3d12::may_fail(plan)) {
        describe = [op = std::string(op), kept = std::make_shared<const Plan>(plan),
                    tuple_dim](const d3d12::BadIndex& bad) {
            return index_error_message(op.c_str(), *kept, {bad.position, bad.coordinate, bad.bits},
                                       tuple_dim);
        };
    }
    try {
        const py::gil_scoped_release released;
        device->run(plan, operands, fresh, std::move(describe));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::kIndex) throw;
        throw Error(error.kind(), std::string(op) + ": " + error.what());
    }
}

void copy_elements(const Array& to, const Array& from) {
    const Array to_bytes = as_bytes(to);
    const Array from_bytes = as_bytes(from);
    if (PyArray_CopyInto(to_bytes.get(), from_bytes.get()) != 0) throw py::error_already_set();
}

}  // namespace dmlindex::binding
