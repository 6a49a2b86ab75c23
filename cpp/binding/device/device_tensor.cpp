#include "binding/device/device_tensor.hpp"

#include <string>

#include "binding/arrays/convert.hpp"
#include "binding/arrays/dtypes.hpp"
#include "binding/device/device_parts.hpp"
#include "binding/device/waiting.hpp"
#include "binding/python/errors.hpp"
#include "binding/python/gil.hpp"
#include "dmlindex/error.hpp"

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

`tensor[a:b]` is rows of it and `tensor.at(byte_offset, shape)` any part: tensors of the same memory.
The memory is freed with the last reference, by `release()`, or at the end of a `with` block; parts
keep it. All
tensors of a call lie on one device, else it is a ValueError; a tensor that was released is one, too.
NumPy makes no array of it by itself: that is a TypeError, as it would wait and copy unseen.

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
    wait_interruptibly([&](const d3d12::Interrupt& interrupt) {
        memory->device()->download(*memory, array.data(), interrupt);
    });
    return py::reinterpret_steal<py::object>(array.release());
}

std::string repr_of(const DeviceTensor& self) {
    const std::string where =
        self.memory ? "'" + name_of(*self.memory->device()) + "'" : "released";
    return "DeviceTensor(shape=" + std::string(py::repr(shape_of(self))) +
           ", dtype=" + std::string(py::str(self.dtype)) + ", device=" + where + ")";
}

py::object tensor_on(const std::string& name, const py::object& object) {
    const auto device = device_named("tensor", name);
    if (is_device_tensor(object.ptr())) {
        throw Error(ErrorKind::kType,
                    "tensor: array is a DeviceTensor; pass what its numpy() returns");
    }
    Tensor array;
    look_at_data("tensor", "array", plain_array("tensor", "array", object.ptr()), array);
    DeviceTensor tensor;
    tensor.layout = array.layout;
    set_packed_strides(tensor.layout, array.element_bytes(), "tensor");
    tensor.dtype = array.dtype;
    tensor.memory = upload(device, bytes_of(array));
    return new_device_tensor(std::move(tensor));
}

// NumPy and others make no array of it without being asked: they would copy it to the host again
// and again, or, where they don't know it, take it for an object without a value.
void refuse_conversion(const py::object&, const py::args&, const py::kwargs&) {
    throw Error(ErrorKind::kType,
                "a DeviceTensor is not made into an array by itself, as that waits for the device "
                "and copies; call its numpy(), and pass the array that returns");
}

// An object that no constructor has made has no memory, no shape and no dtype.
PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
    return guarded([]() -> PyObject* {
        throw Error(ErrorKind::kType,
                    "DeviceTensor: cannot be made from its type; Device.tensor(array) makes one");
    });
}

PyObject* refuse_new_method(PyObject*, PyObject*, PyObject*) {
    return refuse_new(nullptr, nullptr, nullptr);
}

// pybind11 does not look whether there was memory for an object of its own.
PyObject* allocate_or_throw(PyTypeObject* type, Py_ssize_t count) {
    PyObject* const object = PyType_GenericAlloc(type, count);
    if (object == nullptr) throw py::error_already_set();
    return object;
}

// Setting the attribute __new__ would give the type the slot of Python classes, and then __new__ of
// a base makes the object.
void set_no_new(PyTypeObject* type) {
    static PyMethodDef method = {
        "__new__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(refuse_new_method)),
        METH_VARARGS | METH_KEYWORDS, "Raises a TypeError: Device.tensor(array) makes tensors."};
    const auto function = py::reinterpret_steal<py::object>(PyCFunction_New(&method, nullptr));
    if (!function || PyDict_SetItemString(type->tp_dict, method.ml_name, function.ptr()) != 0) {
        throw py::error_already_set();
    }
    type->tp_new = refuse_new;
    type->tp_alloc = allocate_or_throw;
    PyType_Modified(type);
}

}  // namespace

DeviceTensor* as_device_tensor(const char* op, const char* argument, PyObject* object) {
    if (!is_device_tensor(object)) return nullptr;
    // As py::cast, which would look the type up first. It is final, so that there is one value.
    auto* const instance = reinterpret_cast<py::detail::instance*>(object);
    auto* const tensor = instance->get_value_and_holder().value_ptr<DeviceTensor>();
    if (!tensor->memory) {
        throw Error(ErrorKind::kValue, std::string(op) + ": " + argument +
                                           " is a DeviceTensor that was released; make a new one");
    }
    return tensor;
}

py::object new_device_tensor(DeviceTensor tensor) {
    // Should memory run out, pybind11 frees a value without destroying it: it is empty until then.
    py::object made = py::cast(DeviceTensor{});
    made.cast<DeviceTensor&>() = std::move(tensor);
    return made;
}

std::shared_ptr<d3d12::Memory> upload(const std::shared_ptr<d3d12::Device>& device,
                                      const Array& array) {
    const Array contiguous(steal(reinterpret_cast<PyObject*>(PyArray_GETCONTIGUOUS(array.get()))));
    const auto bytes = static_cast<std::uint64_t>(PyArray_NBYTES(contiguous.get()));
    const GilReleased released;
    auto memory = std::make_shared<d3d12::Memory>(device, bytes);
    device->upload(*memory, contiguous.data());
    return memory;
}

void add_device_tensors(py::module_& module) {
    Py_AtExit(d3d12::Device::drain_all);
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
        .def("__getitem__", &rows_of, py::arg("rows"), kRowsDoc)
        .def("at", &part_at, py::arg("byte_offset"), py::arg("shape"),
             py::arg("dtype") = py::none(), kPartDoc)
        .def("__enter__", [](py::object self) { return self; })
        .def("__exit__", [](DeviceTensor& self, const py::args&) { self.memory.reset(); })
        .def("__repr__", &repr_of)
        .def(
            "_repr_html_",
            [](const py::object& self) {
                return py::module_::import("dmlindex._display.tables").attr("tensor_html")(self);
            },
            "What notebooks show: type, shape, device, and values copied from there.");
    for (const char* protocol : {"__array__", "__array_ufunc__", "__array_function__", "__dlpack__",
                                 "__dlpack_device__"}) {
        type.def(protocol, &refuse_conversion, "Raises a TypeError: call numpy().");
    }
    type.attr("__iter__") = py::none();  // or else it would count as a sequence, for its slices
    device_tensor_type = reinterpret_cast<PyTypeObject*>(type.ptr());
    set_no_new(device_tensor_type);
    module.def("device_tensor", &tensor_on, py::arg("device"), py::arg("array"),
               "Copies an array to the device of that name.");
}

}  // namespace dmlindex::binding
