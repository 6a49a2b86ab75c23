#include "binding/device_tensor.hpp"

#include <pybind11/stl.h>

#include <charconv>
#include <map>
#include <mutex>

#include "binding/arrays/convert.hpp"
#include "binding/arrays/dtypes.hpp"
#include "binding/errors.hpp"
#include "error.hpp"

namespace dmlindex::binding {

PyTypeObject* device_tensor_type = nullptr;

namespace {

constexpr const char* kTensorDoc =
    R"doc(A tensor in a device's memory, packed in C order; `Device.tensor` makes one.

The functions and compiled operators take it where they take an array, and then give one back:
nothing is copied to the host. Work on a device is queued. An IndexError of an operator that was
given mode="raise" comes at the latest when its result is read with `numpy()`, or from
`Device.synchronize()`; operators that use the result of a failed one are skipped, and their results
raise the first error.

The memory is freed with the last reference, by `release()`, or at the end of a `with` block. All
tensors of a call lie on one device, else it is a ValueError; a tensor that was released is one, too.

>>> import numpy as np
>>> import dmlindex
>>> device = dmlindex.Device("d3d12")
>>> table = device.tensor(np.arange(8, dtype=np.float32).reshape(4, 2))
>>> rows = dmlindex.gather(table, [3, -4])
>>> isinstance(rows, dmlindex.DeviceTensor), rows.shape, rows.nbytes
(True, (2, 2), 16)
>>> rows.numpy()
array([[6., 7.],
       [0., 1.]], dtype=float32)
>>> with device.tensor([1, 2, 3]) as tensor:
...     dmlindex.gather(tensor, [5], mode="wrap").numpy()
array([3])
)doc";

std::string no_device(const std::string& op, const std::string& name, const std::string& why) {
    return op + ": device \"" + name + "\" is not there: " + why;
}

// The number in "d3d12:1"; -1 for "d3d12".
int adapter_number(const std::string& op, const std::string& name) {
    const std::string prefix = "d3d12";
    if (name == prefix) return -1;
    int number = -1;
    if (name.starts_with(prefix + ":")) {
        const char* const first = name.data() + prefix.size() + 1;
        const char* const last = name.data() + name.size();
        const auto [end, error] = std::from_chars(first, last, number);
        if (error == std::errc() && end == last && number >= 0) return number;
    }
    throw Error(ErrorKind::kValue,
                op + ": device is \"" + name +
                    "\", expected \"cpu\" or a name that dmlindex.devices() lists");
}

py::tuple shape_of(const DeviceTensor& tensor) {
    py::tuple shape(tensor.layout.rank);
    for (int d = 0; d < tensor.layout.rank; ++d) {
        shape[static_cast<std::size_t>(d)] = tensor.layout.sizes[d];
    }
    return shape;
}

PyArray_Descr* descr(const DeviceTensor& tensor) noexcept {
    return reinterpret_cast<PyArray_Descr*>(tensor.dtype.ptr());
}

py::object to_numpy(DeviceTensor& self) {
    const auto memory = as_device_tensor("numpy", "the tensor", py::cast(&self).ptr())->memory;
    Layout shape = self.layout;
    Array array = new_array("numpy", shape, descr(self));
    {
        const py::gil_scoped_release released;
        memory->device()->download(*memory, array.data());
    }
    return py::reinterpret_steal<py::object>(array.release());
}

std::string repr_of(const DeviceTensor& self) {
    const std::string where =
        self.memory ? "'" + name_of(*self.memory->device()) + "'" : "released";
    return "DeviceTensor(shape=" + std::string(py::repr(shape_of(self))) +
           ", dtype=" + std::string(py::str(self.dtype)) + ", device=" + where + ")";
}

DeviceTensor tensor_on(const std::string& name, const py::object& object) {
    const auto device = device_named("tensor", name);
    Tensor array;
    look_at_data("tensor", "array", plain_array("tensor", "array", object.ptr()), array);
    DeviceTensor tensor;
    tensor.layout = array.layout;
    set_packed_strides(tensor.layout, array.element_bytes(), "tensor");
    tensor.dtype = array.dtype;
    tensor.memory = upload(device, bytes_of(array));
    return tensor;
}

// (description, driver, memory_bytes, is_software) of every adapter, and why there are none.
py::tuple adapters() {
    std::string reason;
    py::list found;
    for (const d3d12::Adapter& adapter : d3d12::list_adapters(reason)) {
        found.append(py::make_tuple(adapter.description, adapter.driver, adapter.memory_bytes,
                                    adapter.is_software));
    }
    return py::make_tuple(found, reason);
}

}  // namespace

namespace {

std::shared_ptr<d3d12::Device> find_device(const std::string& op, const std::string& name,
                                           bool replaces_lost) {
    int number = adapter_number(op, name);
    std::string reason;
    const auto& adapters = d3d12::list_adapters(reason);
    if (!reason.empty()) throw Error(ErrorKind::kDevice, no_device(op, name, reason));
    if (number < 0) number = d3d12::preferred_adapter(adapters);
    if (number >= static_cast<int>(adapters.size())) {
        throw Error(ErrorKind::kDevice,
                    no_device(op, name,
                              "this machine's D3D12 adapters are \"d3d12:0\" to \"d3d12:" +
                                  std::to_string(adapters.size() - 1) + "\""));
    }
    // Never destroyed: at exit, a driver may be gone before static objects are.
    static std::mutex& mutex = *new std::mutex;
    static auto& devices = *new std::map<int, std::shared_ptr<d3d12::Device>>;
    const py::gil_scoped_release released;  // opening one takes a while, and others may wait for it
    const std::lock_guard lock(mutex);
    std::shared_ptr<d3d12::Device>& device = devices[number];
    const bool is_lost = device && device->is_lost();
    if (is_lost && !replaces_lost) {
        throw Error(ErrorKind::kDevice,
                    op + ": device \"" + name +
                        "\" was removed, and what it held is lost; open a new Device, and upload "
                        "the tensors again");
    }
    if (!device || is_lost) device = d3d12::Device::open(number);
    return device;
}

}  // namespace

std::shared_ptr<d3d12::Device> device_named(const std::string& op, const std::string& name) {
    return find_device(op, name, false);
}

std::shared_ptr<d3d12::Device> open_device(const std::string& op, const std::string& name) {
    return find_device(op, name, true);
}

std::string name_of(const d3d12::Device& device) {
    return "d3d12:" + std::to_string(device.adapter_index());
}

DeviceTensor* as_device_tensor(const char* op, const char* argument, PyObject* object) {
    if (!is_device_tensor(object)) return nullptr;
    auto* const tensor = py::cast<DeviceTensor*>(py::handle(object));
    if (!tensor->memory) {
        throw Error(ErrorKind::kValue, std::string(op) + ": " + argument +
                                           " is a DeviceTensor that was released; make a new one");
    }
    return tensor;
}

PyObject* new_device_tensor(DeviceTensor tensor) {
    return py::cast(std::move(tensor)).release().ptr();
}

std::shared_ptr<d3d12::Memory> upload(const std::shared_ptr<d3d12::Device>& device,
                                      const Array& array) {
    const Array contiguous(steal(reinterpret_cast<PyObject*>(PyArray_GETCONTIGUOUS(array.get()))));
    const auto bytes = static_cast<std::uint64_t>(PyArray_NBYTES(contiguous.get()));
    const py::gil_scoped_release released;
    auto memory = std::make_shared<d3d12::Memory>(device, bytes);
    device->upload(*memory, contiguous.data());
    return memory;
}

void add_device_tensors(py::module_& module) {
    const auto metaclass =
        py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(&PyType_Type));
    py::class_<DeviceTensor> type(module, "DeviceTensor", py::is_final(), py::metaclass(metaclass),
                                  kTensorDoc);
    type.def_property_readonly("shape", &shape_of, "The size of each dim.")
        .def_property_readonly(
            "dtype", [](const DeviceTensor& self) { return self.dtype; },
            "The NumPy dtype of the elements.")
        .def_property_readonly(
            "ndim", [](const DeviceTensor& self) { return self.layout.rank; },
            "The number of dims.")
        .def_property_readonly(
            "size", [](const DeviceTensor& self) { return element_count(self.layout); },
            "The number of elements.")
        .def_property_readonly(
            "nbytes",
            [](const DeviceTensor& self) {
                return element_count(self.layout) * PyDataType_ELSIZE(descr(self));
            },
            "The size in bytes.")
        .def_property_readonly(
            "device",
            [](py::object self) {
                return name_of(
                    *as_device_tensor("device", "the tensor", self.ptr())->memory->device());
            },
            "The name of the device that holds the tensor.")
        .def("numpy", &to_numpy,
             "Waits for the operator that makes the tensor, and copies it into a new array.\n\n"
             "Raises the IndexError of that operator, or of one that it depends on, if it failed.")
        .def(
            "release", [](DeviceTensor& self) { self.memory.reset(); },
            "Frees the memory now; the tensor cannot be used after that.")
        .def("__enter__", [](py::object self) { return self; })
        .def("__exit__", [](DeviceTensor& self, const py::args&) { self.memory.reset(); })
        .def("__repr__", &repr_of);
    device_tensor_type = reinterpret_cast<PyTypeObject*>(type.ptr());
    module.def("device_tensor", &tensor_on, py::arg("device"), py::arg("array"),
               "Copies an array to the device of that name.");
    module.def(
        "synchronize",
        [](const std::string& name) {
            const auto device = device_named("synchronize", name);
            const py::gil_scoped_release released;
            device->synchronize();
        },
        py::arg("device"),
        "Waits for the device of that name; raises the first error not yet raised.");
    module.def(
        "d3d12_used_bytes",
        [](const std::string& name) {
            const auto device = device_named("d3d12_used_bytes", name);
            const py::gil_scoped_release released;
            return device->used_bytes();
        },
        py::arg("device"), "How much of its memory the device has given away.");
    module.def(
        "d3d12_remove",
        [](const std::string& name) {
            const auto device = device_named("d3d12_remove", name);
            const py::gil_scoped_release released;
            device->remove();
        },
        py::arg("device"), "Removes the device, as a crashing driver does: for tests.");
    module.def("d3d12_adapters", &adapters,
               "(description, driver, memory_bytes, is_software) of every adapter, and why there "
               "are none.");
    module.def(
        "d3d12_has_reductions",
        [](const py::object& dtype) {
            const py::object found = py::module_::import("numpy").attr("dtype")(dtype);
            auto* const descr = reinterpret_cast<PyArray_Descr*>(found.ptr());
            return d3d12::has_reductions(
                arithmetic("has_reduction", descr, Reduction::kAdd).value_type);
        },
        py::arg("dtype"),
        "Whether D3D12 devices have reductions on a dtype that the CPU has them on.");
    module.def(
        "d3d12_mark_time",
        [](const std::string& name) { device_named("d3d12_mark_time", name)->mark_time(); },
        py::arg("device"), "Marks a point of the device's queue, for d3d12_take_times.");
    module.def(
        "d3d12_take_times",
        [](const std::string& name) {
            const auto device = device_named("d3d12_take_times", name);
            const py::gil_scoped_release released;
            return device->take_times();
        },
        py::arg("device"),
        "When the device was at each point marked since the last call, in nanoseconds.");
    module.def(
        "d3d12_binding",
        [](const std::string& name) {
            return device_named("d3d12_binding", name)->uses_typed_views() ? "table" : "root";
        },
        py::arg("device"), "How the device binds what kernels work on: \"table\" or \"root\".");
    module.def(
        "d3d12_kernels",
        [](const std::string& name) {
            const auto device = device_named("d3d12_kernels", name);
            const py::gil_scoped_release released;
            return device->take_kernels();
        },
        py::arg("device"), "The kernels that the device was told to run since the last call.");
}

}  // namespace dmlindex::binding
