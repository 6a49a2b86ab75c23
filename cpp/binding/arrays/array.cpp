#include "binding/arrays/array.hpp"

#include <algorithm>

#include "binding/arrays/buffer_cache.hpp"

namespace dmlindex::binding {
namespace {

bool has_same_sizes(const Layout& a, const Layout& b) noexcept {
    return a.rank == b.rank && std::equal(a.sizes, a.sizes + a.rank, b.sizes);
}

// The same numbers under NumPy's name for their type.
const npy_intp* as_npy(const std::int64_t* numbers) noexcept {
    static_assert(sizeof(npy_intp) == sizeof(std::int64_t));
    return reinterpret_cast<const npy_intp*>(numbers);
}

py::object plain_bytes_dtype(std::int64_t element_bytes) {
    py::object dtype = steal(reinterpret_cast<PyObject*>(PyArray_DescrNewFromType(NPY_VOID)));
    PyDataType_SET_ELSIZE(reinterpret_cast<PyArray_Descr*>(dtype.ptr()), element_bytes);
    return dtype;
}

// Addresses have 56 bits at most.
constexpr int kAddressBits = 56;

// Cuts strides that no memory has so that sums of them stay within 64 bits: who says that an array
// reaches further can mean its first element only; and one of size 0 reaches nothing.
[[gnu::cold]] void cut_strides(Layout& layout) noexcept {
    for (int d = 0; d < layout.rank; ++d) {
        if (layout.sizes[d] == 0) {
            std::fill_n(layout.strides, layout.rank, 0);
            return;
        }
        const std::int64_t most =
            (std::int64_t{1} << kAddressBits) / std::max<std::int64_t>(layout.sizes[d] - 1, 1);
        layout.strides[d] = std::clamp(layout.strides[d], -most, most);
    }
}

// The array's sizes and strides. One loop, as the C library takes longer to copy two numbers.
void read_layout(PyArrayObject* array, Layout& layout) noexcept {
    const npy_intp* const sizes = PyArray_DIMS(array);
    const npy_intp* const strides = PyArray_STRIDES(array);
    const int rank = layout.rank = PyArray_NDIM(array);
    std::int64_t bits = 0;  // that any number but for its sign has
    bool is_empty = false;
    for (int d = 0; d < rank; ++d) {
        layout.sizes[d] = sizes[d];
        layout.strides[d] = strides[d];
        is_empty |= sizes[d] == 0;
        bits |= sizes[d] | (strides[d] < 0 ? ~strides[d] : strides[d]);
    }
    if (is_empty || (bits >> (kAddressBits / 2)) != 0) cut_strides(layout);
}

// With the strides and the data of a layout, or in memory of its own where data is null.
Array plain_array(const Layout& layout, const py::object& dtype, std::byte* data) {
    auto* const descr = reinterpret_cast<PyArray_Descr*>(dtype.inc_ref().ptr());  // it takes one
    return Array(
        steal(PyArray_NewFromDescr(&PyArray_Type, descr, layout.rank, as_npy(layout.sizes),
                                   data == nullptr ? nullptr : as_npy(layout.strides), data,
                                   data == nullptr ? 0 : NPY_ARRAY_WRITEABLE, nullptr)));
}

}  // namespace

std::pair<const std::byte*, const std::byte*> span_of(const Tensor& tensor) noexcept {
    const std::byte* first = tensor.data;
    const std::byte* last = first + tensor.element_bytes();
    for (int d = 0; d < tensor.layout.rank; ++d) {
        const std::int64_t reach = (tensor.layout.sizes[d] - 1) * tensor.layout.strides[d];
        (reach < 0 ? first : last) += reach;
    }
    return {first, last};
}

void Tensor::look_at(Array&& array) {
    PyArrayObject* const given = array.get();
    dtype = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(array.dtype()));
    data = array.data();
    read_layout(given, layout);
    owner = array.take();
}

void Tensor::look_at_number(std::int64_t* number) {
    dtype = steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_INT64)));
    data = reinterpret_cast<std::byte*>(number);
    layout.rank = 0;
    owner = dtype;  // given, but nothing that keeps the number
}

Array new_array(const char* op, Layout& shape, PyArray_Descr* dtype) {
    const std::int64_t element_bytes = PyDataType_ELSIZE(dtype);
    set_packed_strides(shape, std::max<std::int64_t>(element_bytes, 1), op);
    if (element_bytes == 0) {
        // NumPy makes texts of no characters one character long, but for a view of such elements.
        const Array nothing = plain_array(shape, plain_bytes_dtype(0), nullptr);
        Py_INCREF(dtype);  // the view takes one
        return Array(steal(PyArray_View(nothing.get(), dtype, nullptr)));
    }
    return new_array(shape, dtype);
}

Array new_array(const Layout& shape, PyArray_Descr* dtype) {
    const CachedAllocation allocation(
        static_cast<std::size_t>(element_count(shape) * PyDataType_ELSIZE(dtype)));
    Py_INCREF(dtype);  // the new array takes one
    return Array(steal(PyArray_NewFromDescr(&PyArray_Type, dtype, shape.rank, as_npy(shape.sizes),
                                            nullptr, nullptr, 0, nullptr)));
}

Array bytes_of(const Tensor& tensor) {
    Array array =
        plain_array(tensor.layout, plain_bytes_dtype(tensor.element_bytes()), tensor.data);
    if (PyArray_SetBaseObject(array.get(), tensor.owner.inc_ref().ptr()) != 0) {  // it takes one
        throw py::error_already_set();
    }
    return array;
}

void copy_elements(const Tensor& to, const Tensor& from) {
    if (PyArray_CopyInto(bytes_of(to).get(), bytes_of(from).get()) != 0) {
        throw py::error_already_set();
    }
}

bool may_overlap(const Tensor& a, const Tensor& b) noexcept {
    if (a.bytes() == 0 || b.bytes() == 0) return false;
    const auto [a_first, a_last] = span_of(a);
    const auto [b_first, b_last] = span_of(b);
    return a_first < b_last && b_first < a_last;
}

bool is_same_view(const Tensor& a, const Tensor& b) noexcept {
    return a.data == b.data && has_same_sizes(a.layout, b.layout) &&
           std::equal(a.layout.strides, a.layout.strides + a.layout.rank, b.layout.strides);
}

bool is_packed(const Tensor& tensor) {
    Layout packed = tensor.layout;
    set_packed_strides(packed, tensor.element_bytes(), "");
    return std::equal(packed.strides, packed.strides + packed.rank, tensor.layout.strides);
}

Tensor packed_copy(const char* op, const Tensor& tensor) {
    Layout packed = tensor.layout;
    set_packed_strides(packed, tensor.element_bytes(), op);
    Tensor copy;
    copy.look_at(plain_array(packed, plain_bytes_dtype(tensor.element_bytes()), nullptr));
    copy_elements(copy, tensor);
    copy.dtype = tensor.dtype;
    return copy;
}

void keep_apart(const char* op, Tensor& tensor, const Tensor& out) {
    if (may_overlap(tensor, out)) tensor = packed_copy(op, tensor);
}

}  // namespace dmlindex::binding
