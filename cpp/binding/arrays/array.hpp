// NumPy arrays, and what an operator knows of one.
#pragma once

#include <memory>
#include <utility>

#include "binding/python/numpy.hpp"
#include "plan/layout.hpp"

namespace dmlindex::d3d12 {
class Memory;
}

namespace dmlindex::binding {

inline std::byte* data_of(PyObject* array) noexcept {
    return static_cast<std::byte*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
}

// Owns a reference to an array.
class Array {
  public:
    explicit Array(py::object array) : array_(std::move(array)) {}

    PyArrayObject* get() const noexcept { return reinterpret_cast<PyArrayObject*>(array_.ptr()); }
    std::byte* data() const noexcept { return data_of(array_.ptr()); }
    PyArray_Descr* dtype() const noexcept { return PyArray_DESCR(get()); }
    std::int64_t element_bytes() const noexcept { return PyArray_ITEMSIZE(get()); }
    py::object take() noexcept { return std::move(array_); }
    PyObject* release() noexcept { return array_.release().ptr(); }

  private:
    py::object array_;
};

// An operand, looked at once: an array can change its shape, dtype and memory whenever Python code
// runs, so what is checked here is all that is used after.
//
// Layouts are filled where they stay: copying them is what a small call would spend its time with.
struct Tensor {
    void look_at(Array&& array);
    void look_at_number(std::int64_t* number);  // as a 0-D array of it, which stays where it is

    bool is_given() const noexcept { return static_cast<bool>(owner); }
    PyArray_Descr* descr() const noexcept { return reinterpret_cast<PyArray_Descr*>(dtype.ptr()); }
    std::int64_t element_bytes() const noexcept { return PyDataType_ELSIZE(descr()); }
    std::int64_t bytes() const noexcept { return element_count(layout) * element_bytes(); }

    py::object owner;  // keeps the bytes; null where there is no such operand
    py::object dtype;
    std::byte* data = nullptr;              // null where the bytes lie on a device
    std::shared_ptr<d3d12::Memory> memory;  // there
    Layout layout;                          // packed, where they lie on a device
};

// A new C-order array of the shape, for a result; its bytes are not set. Sets the shape's strides.
// Error(kValue) if too large.
Array new_array(const char* op, Layout& shape, PyArray_Descr* dtype);
// The same of a shape that is known to fit, and a dtype that has bytes.
Array new_array(const Layout& shape, PyArray_Descr* dtype);

// The tensor's elements as a plain array of plain bytes: NumPy copies these whole, but records
// field by field, without the padding between them.
Array bytes_of(const Tensor& tensor);

// Copies elements, all bytes of them, between tensors of one shape and dtype.
void copy_elements(const Tensor& to, const Tensor& from);

// The first and one past the last byte of a tensor that has bytes.
std::pair<const std::byte*, const std::byte*> span_of(const Tensor& tensor) noexcept;
// Whether bytes of the two may be the same ones, judged by the span each lies in.
bool may_overlap(const Tensor& a, const Tensor& b) noexcept;
// Whether the two are the same view of the same bytes.
bool is_same_view(const Tensor& a, const Tensor& b) noexcept;
// Whether its elements lie in C order without gaps.
bool is_packed(const Tensor& tensor);
Tensor packed_copy(const char* op, const Tensor& tensor);
// Makes the tensor a packed copy of itself where it may overlap with out.
void keep_apart(const char* op, Tensor& tensor, const Tensor& out);

}  // namespace dmlindex::binding
