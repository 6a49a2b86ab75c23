#include "binding/operand.hpp"

#include <algorithm>

#include "binding/buffer_cache.hpp"
#include "error.hpp"

namespace dmlindex::binding {
namespace {

std::string text(const py::handle& object) { return py::str(object); }

py::tuple shape_of(int rank, const std::int64_t* sizes) {
    py::tuple shape(rank);
    for (int d = 0; d < rank; ++d) shape[static_cast<std::size_t>(d)] = sizes[d];
    return shape;
}

}  // namespace

py::object numpy_dtype(DataType type) {
    return py::module_::import("numpy").attr("dtype")(py::str(name(type)).attr("lower")());
}

Operand::Operand(const char* argument, const TensorDesc& desc, const Layout& layout)
    : argument_(argument),
      dtype_(numpy_dtype(desc.data_type)),
      is_strided_(desc.strides.has_value()),
      element_bytes_(dmlindex::element_bytes(desc.data_type)),
      span_bytes_(element_bytes_),
      layout_(layout),
      shape_(layout) {
    for (int d = 0; d < layout.rank; ++d) span_bytes_ += (layout.sizes[d] - 1) * layout.strides[d];
    if (is_strided_) {
        shape_.rank = 1;
        shape_.sizes[0] = buffer_elements(desc);
        shape_.strides[0] = element_bytes_;
    }
}

void Operand::check(const char* op, PyArray_Descr* dtype, const Layout& given) const {
    const std::string what = std::string(op) + ": " + argument_ + " has ";
    if (dtype != this->dtype() && !PyArray_EquivTypes(dtype, this->dtype())) {
        throw Error(ErrorKind::kType, what + "dtype " + text(reinterpret_cast<PyObject*>(dtype)) +
                                          ", expected " + text(dtype_) +
                                          " as its desc says; nothing is converted");
    }
    if (has_shape(given.rank, given.sizes)) return;
    const std::string expected =
        is_strided_ ? "one dimension of at least " + std::to_string(shape_.sizes[0]) +
                          " elements, as its desc has strides"
                    : text(shape_of(shape_.rank, shape_.sizes)) + ", its desc's sizes";
    throw Error(ErrorKind::kValue, what + "shape " + text(shape_of(given.rank, given.sizes)) +
                                       ", expected " + expected);
}

Array Operand::readable(const char* op, PyObject* object) const {
    Array array = data_array(op, argument_, object);
    check(op, array.dtype(), array.layout());
    return array;
}

Array Operand::writeable(const char* op, PyObject* object) const {
    Layout shape = shape_;
    if (is_strided_ && PyArray_Check(object)) {
        const Array given(py::reinterpret_borrow<py::object>(object));
        check(op, given.dtype(), given.layout());
        shape.sizes[0] = PyArray_DIM(given.get(), 0);
    }
    return out_array(op, object, shape, dtype());
}

Array Operand::fresh() const {
    const CachedAllocation allocation(
        static_cast<std::size_t>(element_count(shape_) * element_bytes_));
    npy_intp sizes[kMaxDims];
    std::copy_n(shape_.sizes, shape_.rank, sizes);
    Py_INCREF(dtype());  // the new array takes one
    PyObject* const array = is_strided_ ? PyArray_Zeros(shape_.rank, sizes, dtype(), 0)
                                        : PyArray_NewFromDescr(&PyArray_Type, dtype(), shape_.rank,
                                                               sizes, nullptr, nullptr, 0, nullptr);
    if (array == nullptr) throw py::error_already_set();
    return Array(py::reinterpret_steal<py::object>(array));
}

Layout Operand::layout_in(const Array& array) const noexcept {
    if (!is_strided_) return array.layout();
    const std::int64_t step = PyArray_STRIDE(array.get(), 0);
    Layout layout = layout_;
    for (int d = 0; d < layout.rank; ++d) {
        layout.strides[d] = layout.strides[d] / element_bytes_ * step;
    }
    return layout;
}

Array Operand::used_part(Array array) const {
    if (!is_strided_) return array;
    PyObject* const part = PySequence_GetSlice(reinterpret_cast<PyObject*>(array.get()), 0,
                                               static_cast<Py_ssize_t>(shape_.sizes[0]));
    if (part == nullptr) throw py::error_already_set();
    return Array(py::reinterpret_steal<py::object>(part));
}

Array Operand::view(const Array& array) const {
    if (!is_strided_) return array;
    Layout layout = layout_in(array);
    npy_intp sizes[kMaxDims];
    npy_intp strides[kMaxDims];
    std::copy_n(layout.sizes, layout.rank, sizes);
    std::copy_n(layout.strides, layout.rank, strides);
    Py_INCREF(dtype());  // the view takes one
    PyObject* const view =
        PyArray_NewFromDescr(&PyArray_Type, dtype(), layout.rank, sizes, strides, array.data(),
                             PyArray_FLAGS(array.get()) & NPY_ARRAY_WRITEABLE, nullptr);
    if (view == nullptr) throw py::error_already_set();
    auto owner = py::reinterpret_steal<py::object>(view);
    auto* const base = reinterpret_cast<PyObject*>(array.get());
    Py_INCREF(base);  // this, too
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(view), base) != 0) {
        throw py::error_already_set();
    }
    return Array(std::move(owner));
}

}  // namespace dmlindex::binding
