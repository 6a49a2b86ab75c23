// NumPy arrays as the operators see them: which objects are accepted, what their dtype is to a
// plan, where their bytes lie.
#pragma once

#include <string>

#include "binding/numpy.hpp"
#include "plan/layout.hpp"

namespace dmlindex::binding {

// Owns a reference to an array.
class Array {
  public:
    explicit Array(py::object array) : array_(std::move(array)) {}

    PyArrayObject* get() const noexcept { return reinterpret_cast<PyArrayObject*>(array_.ptr()); }
    std::byte* data() const noexcept { return static_cast<std::byte*>(PyArray_DATA(get())); }
    PyArray_Descr* dtype() const noexcept { return PyArray_DESCR(get()); }
    std::int64_t element_bytes() const noexcept { return PyArray_ITEMSIZE(get()); }
    Layout layout() const noexcept;
    PyObject* release() noexcept { return array_.release().ptr(); }

  private:
    py::object array_;
};

// An input or updates: an array, or what NumPy, DLPack or __array__ make one of. Error(kType) for a
// dtype that holds Python objects.
Array data_array(const char* op, const char* argument, PyObject* object);

// Indices: of any integer dtype, native byte order. An empty list counts as int64.
Array index_array(const char* op, PyObject* object);
IndexType index_type(PyArray_Descr* dtype) noexcept;

// A new C-order array of the shape, for a result; its bytes are not set. Error(kValue) if too
// large.
Array new_array(const char* op, Layout& shape, PyArray_Descr* dtype);

// out as given: the exact shape and dtype, writeable, no two elements in one place. Throws
// otherwise.
Array out_array(const char* op, PyObject* out, const Layout& shape, PyArray_Descr* dtype);

// Error(kType) unless the updates' dtype is input's; Error(kValue) unless they have the shape.
void check_updates(const char* op, PyArray_Descr* updates_dtype, const Layout& updates,
                   const Layout& shape, PyArray_Descr* dtype);

std::string shape_text(const Layout& layout);

// Whether bytes of the two may be the same ones, judged by the span each lies in.
bool may_overlap(const Array& a, const Array& b) noexcept;
// Whether the two are the same view of the same bytes.
bool same_view(const Array& a, const Array& b) noexcept;
// The array, or a copy of it where it may overlap with out.
Array apart_from(Array array, const Array& out);

// What a reduction does with the dtype. byte_table is set for ml_dtypes' floats of 8 bits and less.
struct Arithmetic {
    ValueType value_type;
    const std::byte* byte_table;
};
Arithmetic arithmetic(const char* op, PyArray_Descr* dtype, Reduction reduction);

}  // namespace dmlindex::binding
