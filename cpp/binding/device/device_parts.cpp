#include "binding/device/device_parts.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "binding/python/errors.hpp"
#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {

const char* const kRowsDoc =
    "tensor[a:b] is these rows, along the first axis, as a tensor of the same memory: nothing is\n"
    "copied, and what is written to one is seen in the other.\n\n"
    "The first byte is at a multiple of 16, else it is a ValueError that names the nearest rows "
    "that\n"
    "are. TypeError for anything but a slice, ValueError for one with steps. As out, a part is a\n"
    "multiple of 16 bytes large, or all the rest of its tensor.";
const char* const kPartDoc =
    "The bytes from byte_offset on, as a tensor of that shape and dtype (None: the tensor's own) "
    "in\n"
    "the same memory.\n\n"
    "ValueError for an offset that is no multiple of 16, which names the nearest that are, and "
    "for\n"
    "a part that is not wholly inside the tensor; TypeError for a dtype that holds Python objects.";

namespace {

constexpr std::int64_t kAlignment = std::int64_t{d3d12::kPartAlignment};

[[noreturn]] void fail(ErrorKind kind, const std::string& what) {
    throw Error(kind, "DeviceTensor: " + what);
}

std::int64_t element_bytes(const DeviceTensor& tensor) {
    return PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr*>(tensor.dtype.ptr()));
}

py::object part_of(const DeviceTensor& whole, std::int64_t offset, Layout layout,
                   py::object dtype) {
    DeviceTensor part;
    part.layout = layout;
    part.dtype = std::move(dtype);
    const std::int64_t bytes = element_count(layout) * element_bytes(part);
    set_packed_strides(part.layout, element_bytes(part), "DeviceTensor");
    part.memory = std::make_shared<d3d12::Memory>(*whole.memory, static_cast<std::uint64_t>(offset),
                                                  static_cast<std::uint64_t>(bytes));
    return new_device_tensor(std::move(part));
}

// "16 and 32": the multiples of step before and after a number.
std::string nearest(std::int64_t number, std::int64_t step, std::int64_t most) {
    const std::int64_t before = number / step * step;
    const std::string text = std::to_string(before);
    return before + step <= most ? text + " and " + std::to_string(before + step) : text;
}

std::int64_t index_of(const py::object& object, const char* what) {
    const Py_ssize_t number = PyNumber_AsSsize_t(object.ptr(), PyExc_OverflowError);
    if (number != -1 || PyErr_Occurred() == nullptr) return number;
    const bool is_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    if (!is_large && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    fail(is_large ? ErrorKind::kValue : ErrorKind::kType,
         std::string("at: ") + what + " is " + shown(object.ptr()) + ", expected an integer" +
             (is_large ? " inside the tensor" : ""));
}

Layout layout_of(const py::object& shape) {
    Layout layout;
    if (PyIndex_Check(shape.ptr())) {
        layout.rank = 1;
        layout.sizes[0] = index_of(shape, "shape");
    } else {
        if (!py::isinstance<py::sequence>(shape)) {
            fail(ErrorKind::kType, "at: shape is " + shown(shape.ptr()) + ", expected sizes");
        }
        const py::tuple sizes(shape);
        if (sizes.size() > static_cast<std::size_t>(kMaxDims)) {
            fail(ErrorKind::kValue, "at: shape has " + std::to_string(sizes.size()) +
                                        " sizes, expected at most " + std::to_string(kMaxDims));
        }
        for (const py::handle size : sizes) {
            layout.sizes[layout.rank++] =
                index_of(py::reinterpret_borrow<py::object>(size), "a size of shape");
        }
    }
    for (int d = 0; d < layout.rank; ++d) {
        if (layout.sizes[d] < 0) {
            fail(ErrorKind::kValue, "at: a size of shape is " + std::to_string(layout.sizes[d]) +
                                        ", expected 0 or more");
        }
    }
    return layout;
}

}  // namespace

py::object rows_of(py::object self, const py::object& rows) {
    const DeviceTensor& tensor = *as_device_tensor("tensor[a:b]", "the tensor", self.ptr());
    if (!PySlice_Check(rows.ptr()) || tensor.layout.rank == 0) {
        fail(ErrorKind::kType, shown(rows.ptr()) + " in brackets" +
                                   (tensor.layout.rank == 0 ? " of a tensor without dims" : "") +
                                   ", expected a slice of the first axis: tensor[a:b]; of anything "
                                   "else, use dmlindex.gather");
    }
    Py_ssize_t first = 0, last = 0, step = 0;
    if (PySlice_Unpack(rows.ptr(), &first, &last, &step) != 0) throw py::error_already_set();
    if (step != 1) {
        fail(ErrorKind::kValue, "a slice with steps of " + std::to_string(step) +
                                    ", expected 1: parts lie as they are; use dmlindex.gather");
    }
    Layout layout = tensor.layout;
    layout.sizes[0] = PySlice_AdjustIndices(tensor.layout.sizes[0], &first, &last, step);
    if (element_count(layout) == 0) return part_of(tensor, 0, layout, tensor.dtype);
    const std::int64_t row_bytes = element_count(layout) / layout.sizes[0] * element_bytes(tensor);
    if (first * row_bytes % kAlignment != 0) {
        const std::int64_t rows_apart = kAlignment / std::gcd(kAlignment, row_bytes);
        fail(ErrorKind::kValue,
             "the slice begins with row " + std::to_string(first) + ", at byte " +
                 std::to_string(first * row_bytes) +
                 ", expected a multiple of 16; the nearest rows that begin there are " +
                 nearest(first, rows_apart, tensor.layout.sizes[0]));
    }
    return part_of(tensor, first * row_bytes, layout, tensor.dtype);
}

py::object part_at(py::object self, const py::object& byte_offset, const py::object& shape,
                   const py::object& dtype) {
    const std::int64_t offset = index_of(byte_offset, "byte_offset");
    const Layout layout = layout_of(shape);
    py::object type =
        dtype.is_none() ? py::object() : py::module_::import("numpy").attr("dtype")(dtype);
    // Nobody's code runs from here on.
    const DeviceTensor& tensor = *as_device_tensor("at", "the tensor", self.ptr());
    if (!type) type = tensor.dtype;
    auto* const descr = reinterpret_cast<PyArray_Descr*>(type.ptr());
    if (PyDataType_REFCHK(descr)) {
        fail(ErrorKind::kType, "at: dtype is " + text_of(type) +
                                   ", which holds Python objects; expected one of plain bytes");
    }
    const auto held = static_cast<std::int64_t>(tensor.memory->bytes());
    if (offset < 0 || offset > held) {
        fail(ErrorKind::kValue, "at: byte_offset is " + std::to_string(offset) +
                                    ", expected 0 to " + std::to_string(held) +
                                    ", the tensor's size in bytes");
    }
    if (offset % kAlignment != 0) {
        fail(ErrorKind::kValue, "at: byte_offset is " + std::to_string(offset) +
                                    ", expected a multiple of 16; the nearest are " +
                                    nearest(offset, kAlignment, held));
    }
    const std::int64_t* const end = layout.sizes + layout.rank;
    const bool is_empty = std::find(layout.sizes, end, 0) != end;
    std::int64_t left = held - offset;  // elements, for the dims before those that are counted
    if (PyDataType_ELSIZE(descr) > 0) left /= PyDataType_ELSIZE(descr);
    for (int d = 0; d < layout.rank && !is_empty; ++d) left /= layout.sizes[d];
    if (left < 1 && !is_empty) {
        fail(ErrorKind::kValue, "at: shape does not fit behind byte " + std::to_string(offset) +
                                    ", where the tensor has " + std::to_string(held - offset) +
                                    " bytes; expected a part that lies inside it");
    }
    return part_of(tensor, offset, layout, std::move(type));
}

}  // namespace dmlindex::binding
