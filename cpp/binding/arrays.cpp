#include "binding/arrays.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>

#include "binding/buffer_cache.hpp"
#include "error.hpp"
#include "plan/overlap.hpp"

namespace dmlindex::binding {
namespace {

[[noreturn]] void fail(ErrorKind kind, const char* op, const std::string& what) {
    throw Error(kind, std::string(op) + ": " + what);
}

py::object steal(PyObject* object) {
    if (object == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(object);
}

std::string dtype_name(PyArray_Descr* dtype) {
    return py::str(py::handle(reinterpret_cast<PyObject*>(dtype)));
}

std::string shape_text(PyArrayObject* array) {
    return py::str(steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(array), "shape")));
}

std::string text_of(const py::error_already_set& error) { return py::str(error.value()); }

// An object that speaks DLPack, as an array that shares its memory; its own __array__ if DLPack
// refuses (NumPy's has no bfloat16, say). A TypeError or ValueError of theirs is about the object;
// another exception is the object's own affair and goes through.
py::object from_foreign(const char* op, const char* argument, py::handle object) {
    const std::string what = std::string(argument) + " is a " + Py_TYPE(object.ptr())->tp_name;
    std::string refusal;
    if (py::hasattr(object, "__dlpack__")) {
        try {
            return py::module_::import("numpy").attr("from_dlpack")(object);
        } catch (py::error_already_set& error) {
            if (error.matches(PyExc_MemoryError) || !error.matches(PyExc_Exception)) throw;
            refusal = what + " that DLPack does not hand over (" + text_of(error) +
                      "); pass a CPU tensor without gradient, or a NumPy array";
            if (!py::hasattr(object, "__array__")) fail(ErrorKind::kType, op, refusal);
        }
    }
    try {
        return steal(PyArray_FROM_O(object.ptr()));
    } catch (py::error_already_set& error) {
        if (error.matches(PyExc_MemoryError) || !error.matches(PyExc_Exception)) throw;
        if (!refusal.empty()) fail(ErrorKind::kType, op, refusal);
        const bool is_value = error.matches(PyExc_ValueError);
        if (!is_value && !error.matches(PyExc_TypeError)) throw;
        fail(is_value ? ErrorKind::kValue : ErrorKind::kType, op,
             what + " that NumPy makes no array of (" + text_of(error) + ")");
    }
}

py::object as_array(const char* op, const char* argument, PyObject* object) {
    if (PyArray_Check(object)) return py::reinterpret_borrow<py::object>(object);
    if (object == Py_None) {
        fail(ErrorKind::kType, op, std::string(argument) + " is None, expected an array");
    }
    py::object array = from_foreign(op, argument, object);
    if (!PyArray_Check(array.ptr())) {
        fail(ErrorKind::kType, op,
             std::string(argument) + " is a " + Py_TYPE(object)->tp_name + ", expected an array");
    }
    return array;
}

// The first and one past the last byte of an array that has bytes.
std::pair<const std::byte*, const std::byte*> span_of(const Array& array) noexcept {
    const std::byte* first = array.data();
    const std::byte* last = first + array.element_bytes();
    for (int d = 0; d < PyArray_NDIM(array.get()); ++d) {
        const std::int64_t reach =
            (PyArray_DIM(array.get(), d) - 1) * PyArray_STRIDE(array.get(), d);
        (reach < 0 ? first : last) += reach;
    }
    return {first, last};
}

// 8-bit results, a table for every dtype and reduction, made at first use and kept.
const std::byte* byte_table(PyArray_Descr* dtype, Reduction reduction) {
    static constexpr const char* kNames[] = {"none", "add", "mul", "min", "max"};
    py::bytes table = py::module_::import("dmlindex._byte_tables")
                          .attr("byte_table")(py::handle(reinterpret_cast<PyObject*>(dtype)),
                                              kNames[static_cast<int>(reduction)]);
    // functools.cache on the Python side keeps the bytes alive.
    return reinterpret_cast<const std::byte*>(PyBytes_AS_STRING(table.ptr()));
}

// int8, uint8, int16, … uint64 counted from 0: the order of IndexType and of ValueType.
int integer_number(PyArray_Descr* dtype) noexcept {
    const int width = std::countr_zero(static_cast<unsigned>(PyDataType_ELSIZE(dtype)));
    return 2 * width + (PyTypeNum_ISUNSIGNED(dtype->type_num) ? 1 : 0);
}

bool is_user_type(PyArray_Descr* dtype, const char* prefix) {
    const std::string name =
        py::str(py::handle(reinterpret_cast<PyObject*>(dtype->typeobj)).attr("__name__"));
    return name.starts_with(prefix);
}

}  // namespace

std::string shape_text(const Layout& layout) {
    py::tuple shape(layout.rank);
    for (int d = 0; d < layout.rank; ++d) shape[static_cast<std::size_t>(d)] = layout.sizes[d];
    return py::str(shape);
}

Layout Array::layout() const noexcept {
    Layout layout;
    layout.rank = PyArray_NDIM(get());
    std::copy_n(PyArray_DIMS(get()), layout.rank, layout.sizes);
    std::copy_n(PyArray_STRIDES(get()), layout.rank, layout.strides);
    return layout;
}

Array data_array(const char* op, const char* argument, PyObject* object) {
    Array array(as_array(op, argument, object));
    if (PyDataType_REFCHK(array.dtype())) {
        fail(ErrorKind::kType, op,
             std::string(argument) + " has dtype " + dtype_name(array.dtype()) +
                 ", which holds Python objects or references; expected one of plain bytes");
    }
    return array;
}

Array index_array(const char* op, PyObject* object) {
    Array array(as_array(op, "indices", object));
    if (PyTypeNum_ISINTEGER(array.dtype()->type_num)) {
        if (PyArray_ISNBO(array.dtype()->byteorder)) return array;
        return Array(steal(PyArray_FromArray(
            array.get(), PyArray_DescrNewByteorder(array.dtype(), NPY_NATIVE), NPY_ARRAY_DEFAULT)));
    }
    if (!PyArray_Check(object) && PyArray_SIZE(array.get()) == 0 && PySequence_Check(object)) {
        return Array(steal(PyArray_FromArray(array.get(), PyArray_DescrFromType(NPY_INT64),
                                             NPY_ARRAY_DEFAULT | NPY_ARRAY_FORCECAST)));
    }
    fail(ErrorKind::kType, op,
         "indices has dtype " + dtype_name(array.dtype()) +
             ", expected an integer one; convert it, e.g. with indices.astype(numpy.int64)");
}

IndexType index_type(PyArray_Descr* dtype) noexcept {
    return static_cast<IndexType>(integer_number(dtype));
}

Array new_array(const char* op, Layout& shape, PyArray_Descr* dtype) {
    const std::int64_t element_bytes = std::max<std::int64_t>(PyDataType_ELSIZE(dtype), 1);
    set_packed_strides(shape, element_bytes, op);
    const CachedAllocation allocation(
        static_cast<std::size_t>(element_count(shape) * element_bytes));
    npy_intp sizes[kMaxDims];
    std::copy_n(shape.sizes, shape.rank, sizes);
    Py_INCREF(dtype);  // the new array takes one
    return Array(steal(PyArray_NewFromDescr(&PyArray_Type, dtype, shape.rank, sizes, nullptr,
                                            nullptr, 0, nullptr)));
}

Array out_array(const char* op, PyObject* out, const Layout& shape, PyArray_Descr* dtype) {
    if (!PyArray_Check(out)) {
        fail(ErrorKind::kType, op,
             std::string("out is a ") + Py_TYPE(out)->tp_name + ", expected a numpy.ndarray");
    }
    Array array(py::reinterpret_borrow<py::object>(out));
    if (array.dtype() != dtype && !PyArray_EquivTypes(array.dtype(), dtype)) {
        fail(ErrorKind::kType, op,
             "out has dtype " + dtype_name(array.dtype()) + ", expected input's dtype " +
                 dtype_name(dtype));
    }
    const Layout layout = array.layout();
    if (layout.rank != shape.rank ||
        !std::equal(layout.sizes, layout.sizes + layout.rank, shape.sizes)) {
        fail(ErrorKind::kValue, op,
             "out has shape " + shape_text(array.get()) + ", expected " + shape_text(shape));
    }
    if (!PyArray_ISWRITEABLE(array.get()))
        fail(ErrorKind::kValue, op, "out is read-only, expected a writeable array");
    if (PyArray_IS_C_CONTIGUOUS(array.get())) return array;
    const auto rank = static_cast<std::size_t>(layout.rank);
    const Overlap overlap = self_overlap(std::span(layout.sizes, rank),
                                         std::span(layout.strides, rank), array.element_bytes());
    if (overlap != Overlap::kNone) {
        fail(ErrorKind::kValue, op,
             std::string(overlap == Overlap::kSome
                             ? "out has elements that share memory"
                             : "out's strides are too entangled to tell that no elements "
                               "share memory") +
                 "; pass an array whose elements lie apart, e.g. a numpy.empty");
    }
    return array;
}

void check_updates(const char* op, PyArray_Descr* updates_dtype, const Layout& updates,
                   const Layout& shape, PyArray_Descr* dtype) {
    if (updates_dtype != dtype && !PyArray_EquivTypes(updates_dtype, dtype)) {
        fail(ErrorKind::kType, op,
             "updates has dtype " + dtype_name(updates_dtype) + ", expected input's dtype " +
                 dtype_name(dtype) + "; convert it, e.g. with updates.astype(input.dtype)");
    }
    if (updates.rank != shape.rank ||
        !std::equal(updates.sizes, updates.sizes + updates.rank, shape.sizes)) {
        fail(ErrorKind::kValue, op,
             "updates has shape " + shape_text(updates) + ", expected " + shape_text(shape) +
                 ", the shape of what indices index");
    }
}

bool may_overlap(const Array& a, const Array& b) noexcept {
    if (PyArray_NBYTES(a.get()) == 0 || PyArray_NBYTES(b.get()) == 0) return false;
    const auto [a_first, a_last] = span_of(a);
    const auto [b_first, b_last] = span_of(b);
    return a_first < b_last && b_first < a_last;
}

bool same_view(const Array& a, const Array& b) noexcept {
    if (a.get() == b.get()) return true;
    const Layout left = a.layout();
    const Layout right = b.layout();
    return a.data() == b.data() && left.rank == right.rank &&
           std::equal(left.sizes, left.sizes + left.rank, right.sizes) &&
           std::equal(left.strides, left.strides + left.rank, right.strides);
}

Array apart_from(Array array, const Array& out) {
    if (!may_overlap(array, out)) return array;
    // As plain bytes: NumPy copies a record field by field, without the padding between them.
    PyArray_Descr* const plain = PyArray_DescrNewFromType(NPY_VOID);
    PyDataType_SET_ELSIZE(plain, array.element_bytes());
    const Array bytes(steal(PyArray_View(array.get(), plain, nullptr)));
    const Array copy(steal(PyArray_NewCopy(bytes.get(), NPY_CORDER)));
    Py_INCREF(array.dtype());  // the view takes one
    return Array(steal(PyArray_View(copy.get(), array.dtype(), nullptr)));
}

Arithmetic arithmetic(const char* op, PyArray_Descr* dtype, Reduction reduction) {
    const auto refuse = [&](const std::string& why) {
        fail(ErrorKind::kType, op, "reduction on dtype " + dtype_name(dtype) + ": " + why);
    };
    if (!PyArray_ISNBO(dtype->byteorder)) {
        refuse(
            "expected native byte order; convert it, e.g. with "
            "input.astype(input.dtype.newbyteorder(\"=\"))");
    }
    const bool ordered = reduction == Reduction::kMin || reduction == Reduction::kMax;
    if (PyTypeNum_ISBOOL(dtype->type_num)) return {ValueType::kBool, nullptr};
    if (PyTypeNum_ISINTEGER(dtype->type_num)) {
        const int first = static_cast<int>(ValueType::kInt8);
        return {static_cast<ValueType>(first + integer_number(dtype)), nullptr};
    }
    switch (dtype->type_num) {
        case NPY_HALF:
            return {ValueType::kFloat16, nullptr};
        case NPY_FLOAT:
            return {ValueType::kFloat32, nullptr};
        case NPY_DOUBLE:
            return {ValueType::kFloat64, nullptr};
        case NPY_LONGDOUBLE:
            return {ValueType::kLongDouble, nullptr};
        case NPY_CFLOAT:
        case NPY_CDOUBLE:
        case NPY_CLONGDOUBLE:
            if (ordered) refuse("complex numbers have no min and max; expected \"add\" or \"mul\"");
            return {dtype->type_num == NPY_CFLOAT    ? ValueType::kComplex64
                    : dtype->type_num == NPY_CDOUBLE ? ValueType::kComplex128
                                                     : ValueType::kComplexLongDouble,
                    nullptr};
        default:
            break;
    }
    if (PyTypeNum_ISUSERDEF(dtype->type_num)) {
        if (is_user_type(dtype, "bfloat16")) return {ValueType::kBfloat16, nullptr};
        if (PyDataType_ELSIZE(dtype) == 1 && is_user_type(dtype, "float")) {
            return {ValueType::kByteTable, byte_table(dtype, reduction)};
        }
    }
    refuse("expected a bool, integer, float or complex dtype");
    return {};
}

}  // namespace dmlindex::binding
