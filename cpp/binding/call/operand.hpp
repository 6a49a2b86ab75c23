// One tensor of a compiled operator: which arrays it takes, and where in them it lies.
//
// A tensor is an array of the desc's sizes, or of its natural shape: without 1s in front. Where the
// desc has strides, the array's are exactly these. Or it is a line, one dim, that holds the total
// size (rounded down to elements; it may be larger); a packed tensor's elements alone will do.
#pragma once

#include <algorithm>
#include <string>

#include "binding/arrays/array.hpp"
#include "dmlindex/descs.hpp"

namespace dmlindex::binding {

// The NumPy dtype of a data type that has one: FLOAT32 is float32, and so on.
py::object numpy_dtype(DataType type);

class Operand {
  public:
    // layout is the desc's own; the desc is valid. argument is a literal.
    Operand(const char* argument, const TensorDesc& desc, const Layout& layout);

    // Whether the object is an array that lies just as the desc says: nothing to convert or to
    // check.
    bool is_ready(PyObject* object) const noexcept {
        if (!PyArray_CheckExact(object)) return false;
        auto* const array = reinterpret_cast<PyArrayObject*>(object);
        return PyArray_DESCR(array) == dtype() && PyArray_IS_C_CONTIGUOUS(array) &&
               has_shape(PyArray_NDIM(array), PyArray_DIMS(array));
    }

    // Throws unless what was looked at is the tensor. Its layout is one of two after this: the
    // desc's dims, of a packed tensor, or a line.
    void fit(const char* op, Tensor& given) const;
    // Looks at out, an array that is to fit, and fits it.
    void look_at_out(const char* op, PyObject* object, Tensor& tensor) const;

    // A new array for the tensor; the padding between strided elements is zero.
    Array fresh() const;

    // Where the elements lie in what was fitted.
    Layout layout_in(const Layout& given) const noexcept;
    // How many elements of the line there are in it: no more than the total size holds.
    std::int64_t line_elements(const Layout& given) const noexcept {
        return given.rank == 1 ? std::min(given.sizes[0], line_elements_) : element_count(shape_);
    }

    // From the first byte of the tensor to the last, in an array that is ready.
    std::int64_t span_bytes() const noexcept { return span_bytes_; }

    const char* argument() const noexcept { return argument_; }
    bool is_strided() const noexcept { return is_strided_; }
    std::int64_t element_bytes() const noexcept { return element_bytes_; }
    // Of the array: its sizes, packed. Strided tensors take larger ones, too.
    const Layout& shape() const noexcept { return shape_; }
    const py::object& dtype_object() const noexcept { return dtype_; }
    PyArray_Descr* dtype() const noexcept { return reinterpret_cast<PyArray_Descr*>(dtype_.ptr()); }

  private:
    // A strided tensor takes a buffer that is larger, too.
    bool has_shape(int rank, const npy_intp* sizes) const noexcept {
        if (rank != shape_.rank) return false;
        if (is_strided_) return sizes[0] >= shape_.sizes[0];
        for (int d = 0; d < rank; ++d) {
            if (sizes[d] != shape_.sizes[d]) return false;
        }
        return true;
    }

    bool is_natural(const Layout& given) const noexcept;
    bool lies_as_desc(const Layout& natural) const noexcept;

    const char* argument_;
    py::object dtype_;
    bool is_strided_;
    std::int64_t element_bytes_;
    std::int64_t span_bytes_;
    std::int64_t line_elements_;  // that the total size holds
    Layout layout_;               // with all dims of the desc
    Layout shape_;  // of the array: packed, the same sizes, or one dim where there are strides
};

}  // namespace dmlindex::binding
