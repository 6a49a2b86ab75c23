#include "binding/call/operand.hpp"

#include <algorithm>

#include "binding/arrays/buffer_cache.hpp"
#include "binding/call/invocation.hpp"
#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"
#include "operators/shape_rules.hpp"

namespace dmlindex::binding {

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

void Operand::check(const char* op, const Tensor& given) const {
    const std::string what = std::string(op) + ": " + argument_ + " has ";
    if (!is_same_dtype(given.descr(), dtype())) {
        throw Error(ErrorKind::kType, what + "dtype " + text_of(given.dtype) + ", expected " +
                                          text_of(dtype_) +
                                          " as its desc says; nothing is converted");
    }
    if (has_shape(given.layout.rank, given.layout.sizes)) return;
    const std::string expected = is_strided_ ? "one dimension of at least " +
                                                   std::to_string(shape_.sizes[0]) +
                                                   " elements, as its desc has strides"
                                             : to_string(shape_) + ", its desc's sizes";
    throw Error(ErrorKind::kValue,
                what + "shape " + to_string(given.layout) + ", expected " + expected);
}

void Operand::look_at_out(const char* op, PyObject* object, Tensor& tensor) const {
    Layout shape = shape_;
    if (is_strided_ && PyArray_Check(object)) {
        tensor.look_at(Array(py::reinterpret_borrow<py::object>(object)));
        check(op, tensor);
        shape.sizes[0] = tensor.layout.sizes[0];
    }
    binding::look_at_out(op, object, shape, dtype(), tensor);
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

Layout Operand::layout_in(const Layout& given) const noexcept {
    if (!is_strided_) return given;
    Layout layout = layout_;
    for (int d = 0; d < layout.rank; ++d) {
        layout.strides[d] = layout.strides[d] / element_bytes_ * given.strides[0];
    }
    return layout;
}

}  // namespace dmlindex::binding
