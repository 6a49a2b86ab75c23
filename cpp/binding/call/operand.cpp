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
      line_elements_(buffer_elements(desc)),
      layout_(layout),
      shape_(layout) {
    for (int d = 0; d < layout.rank; ++d) span_bytes_ += (layout.sizes[d] - 1) * layout.strides[d];
    if (is_strided_) {
        shape_.rank = 1;
        shape_.sizes[0] = line_elements_;
        shape_.strides[0] = element_bytes_;
    }
}

bool Operand::is_natural(const Layout& given) const noexcept {
    const int added = layout_.rank - given.rank;
    return added >= 0 &&
           std::all_of(layout_.sizes, layout_.sizes + added, [](auto size) { return size == 1; }) &&
           std::equal(given.sizes, given.sizes + given.rank, layout_.sizes + added);
}

bool Operand::lies_as_desc(const Layout& natural) const noexcept {
    const int added = layout_.rank - natural.rank;
    for (int d = 0; d < natural.rank; ++d) {
        if (natural.sizes[d] > 1 && natural.strides[d] != layout_.strides[added + d]) return false;
    }
    return true;
}

void Operand::fit(const char* op, Tensor& given) const {
    const std::string what = std::string(op) + ": " + argument_ + " has ";
    if (!is_same_dtype(given.descr(), dtype())) {
        throw Error(ErrorKind::kType, what + "dtype " + text_of(given.dtype) + ", expected " +
                                          text_of(dtype_) +
                                          " as its desc says; nothing is converted");
    }
    Layout& layout = given.layout;
    if (has_shape(layout.rank, layout.sizes)) return;
    if (is_natural(layout)) {
        if (!is_strided_) {
            const int added = layout_.rank - layout.rank;
            std::copy_backward(layout.strides, layout.strides + layout.rank,
                               layout.strides + layout_.rank);
            std::fill_n(layout.strides, added, 0);
            std::copy_n(layout_.sizes, layout_.rank, layout.sizes);
            layout.rank = layout_.rank;
            return;
        }
        if (lies_as_desc(layout)) {
            layout.rank = 1;
            layout.sizes[0] = span_bytes_ / element_bytes_;
            layout.strides[0] = element_bytes_;
            return;
        }
    }
    if (!is_strided_ && layout.rank == 1 &&
        (layout.sizes[0] == element_count(shape_) || layout.sizes[0] >= line_elements_)) {
        return;
    }
    const std::string line =
        "one dimension of at least " + std::to_string(line_elements_) + " elements";
    const std::string expected =
        is_strided_ ? line + ", or " + to_string(layout_) + " with its desc's strides"
                    : to_string(shape_) + ", its desc's sizes, or " + line;
    throw Error(ErrorKind::kValue, what + "shape " + to_string(layout) + ", expected " + expected);
}

void Operand::look_at_out(const char* op, PyObject* object, Tensor& tensor) const {
    Layout shape = shape_;
    if (PyArray_Check(object)) {
        tensor.look_at(Array(py::reinterpret_borrow<py::object>(object)));
        shape = tensor.layout;
        fit(op, tensor);
    }
    binding::look_at_out(op, object, shape, dtype(), tensor);
    fit(op, tensor);
}

Array Operand::fresh() const {
    if (!is_strided_) return new_array(shape_, dtype());
    const CachedAllocation allocation(
        static_cast<std::size_t>(element_count(shape_) * element_bytes_));
    npy_intp line = shape_.sizes[0];
    Py_INCREF(dtype());  // the new array takes one
    return Array(steal(PyArray_Zeros(1, &line, dtype(), 0)));
}

Layout Operand::layout_in(const Layout& given) const noexcept {
    if (!is_strided_ && given.rank == shape_.rank &&
        std::equal(given.sizes, given.sizes + given.rank, shape_.sizes)) {
        return given;
    }
    Layout layout = layout_;
    for (int d = 0; d < layout.rank; ++d) {
        layout.strides[d] = layout.strides[d] / element_bytes_ * given.strides[0];
    }
    return layout;
}

}  // namespace dmlindex::binding
