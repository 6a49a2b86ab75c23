#include "binding/arrays/convert.hpp"

#include <bit>
#include <string>

#include "binding/arrays/dtypes.hpp"
#include "binding/arrays/elsewhere.hpp"
#include "binding/python/errors.hpp"
#include "binding/python/gil.hpp"
#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {
namespace {

// Whether an object is a numpy.ma.MaskedArray; numpy.ma is only imported by those who use it.
bool is_masked(PyObject* object) {
    if (!PyArray_Check(object) || PyArray_CheckExact(object)) return false;
    const py::dict modules = py::module_::import("sys").attr("modules");
    if (!modules.contains("numpy.ma")) return false;
    const py::object type = modules["numpy.ma"].attr("MaskedArray");
    return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(type.ptr()));
}

// The same for what is in a list, at any depth that an array can have.
void refuse_masked_items(const char* op, const char* argument, PyObject* object, int depth = 0) {
    if (depth > kMaxDims || !(PyList_Check(object) || PyTuple_Check(object))) {
        refuse_masked(op, argument, object);
        return;
    }
    // By number: a list may change while one looks at it.
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
        PyObject* const item = PySequence_Fast_GET_ITEM(object, i);
        if (!PyLong_CheckExact(item) && !PyFloat_CheckExact(item) && !PyArray_CheckExact(item)) {
            refuse_masked_items(op, argument, item, depth + 1);
        }
    }
}

// Error(kType) for a table that has no value in some places, of a library whose arrays turn those
// into NaN. (NumPy makes objects of the others, which are refused.)
void refuse_missing(const char* op, const char* argument, PyObject* object) {
    const py::object look = py::module_::import("dmlindex._missing").attr("missing_values");
    const py::object missing =
        steal(run_python([&] { return PyObject_CallOneArg(look.ptr(), object); }));
    if (missing.is_none()) return;
    fail(ErrorKind::kType, op,
         std::string(argument) + " is a " + type_name(object) + " with missing values, which " +
             "NumPy has none of; " + text_of(missing));
}

// What NumPy makes of a list or a number.
py::object from_values(const char* op, const char* argument, PyObject* object) {
    try {
        return steal(run_python([&] { return PyArray_FROM_O(object); }));
    } catch (py::error_already_set& error) {
        const bool is_value = error.matches(PyExc_ValueError);
        if (!is_value && !error.matches(PyExc_TypeError)) throw;
        fail(is_value ? ErrorKind::kValue : ErrorKind::kType, op,
             std::string(argument) + " is a " + type_name(object) +
                 " that NumPy makes no array of (" + text_of(error.value()) + ")");
    }
}

// An object that speaks DLPack, as an array that shares its memory; its own __array__ if DLPack
// refuses (NumPy's has no bfloat16, say). A refusal is about the object; another exception is
// nobody's to take back.
py::object from_foreign(const char* op, const char* argument, PyObject* object) {
    if (!py::hasattr(object, "__dlpack__")) return from_values(op, argument, object);
    std::string refusal;
    try {
        const py::object take = py::module_::import("numpy").attr("from_dlpack");
        return steal(run_python([&] { return PyObject_CallOneArg(take.ptr(), object); }));
    } catch (py::error_already_set& error) {
        if (!is_refusal(error)) throw;
        const std::string reason = text_of(error.value());
        refusal = std::string(argument) + " is a " + type_name(object) +
                  " that DLPack does not hand over (" + reason + "); pass ";
        refusal += reason.find("dtype") != std::string::npos
                       ? "a NumPy array of the same bits in a type of ml_dtypes, as "
                         "x.view(torch.int16).numpy().view(ml_dtypes.bfloat16) is of torch's "
                         "bfloat16"
                       : "a CPU tensor without gradient, or a NumPy array";
    }
    if (!py::hasattr(object, "__array__")) fail(ErrorKind::kType, op, refusal);
    try {
        return steal(run_python([&] { return PyArray_FROM_O(object); }));
    } catch (py::error_already_set& error) {
        if (!is_refusal(error)) throw;
        fail(ErrorKind::kType, op, refusal);
    }
}

py::object converted(const char* op, const char* argument, PyObject* object) {
    if (PyArray_Check(object)) return py::reinterpret_borrow<py::object>(object);
    if (object == Py_None) {
        fail(ErrorKind::kType, op, std::string(argument) + " is None, expected an array");
    }
    if (PyList_Check(object) || PyTuple_Check(object)) {
        refuse_masked_items(op, argument, object);
        return from_values(op, argument, object);
    }
    if (is_plain_value(object)) return from_values(op, argument, object);
    refuse_elsewhere(op, argument, object);
    refuse_missing(op, argument, object);
    return from_foreign(op, argument, object);
}

// What to do about indices of another dtype, in words that give the indices that were meant.
std::string advice(PyArray_Descr* dtype, bool tuples) {
    if (PyTypeNum_ISBOOL(dtype->type_num)) {
        return tuples ? "; for the places where a mask is True, pass numpy.argwhere(mask)"
                      : "; for the places where a mask is True, pass numpy.flatnonzero(mask) of "
                        "one with one dim, or numpy.argwhere(mask) to gather_nd or scatter_nd";
    }
    if (PyTypeNum_ISFLOAT(dtype->type_num)) {
        return "; if they are whole numbers that were rounded, pass "
               "numpy.rint(indices).astype(numpy.int64)";
    }
    return {};
}

}  // namespace

Array plain_array(const char* op, const char* argument, PyObject* object) {
    if (PyArray_CheckExact(object)) return Array(py::reinterpret_borrow<py::object>(object));
    py::object array = converted(op, argument, object);
    if (PyArray_CheckExact(array.ptr())) return Array(std::move(array));
    if (!PyArray_Check(array.ptr())) {
        fail(ErrorKind::kType, op,
             std::string(argument) + " is a " + type_name(object) + ", expected an array");
    }
    refuse_masked(op, argument, array.ptr());
    return Array(
        steal(PyArray_View(reinterpret_cast<PyArrayObject*>(array.ptr()), nullptr, &PyArray_Type)));
}

void refuse_objects(const char* op, const char* argument, const Tensor& tensor) {
    fail(ErrorKind::kType, op,
         std::string(argument) + " has dtype " + text_of(tensor.dtype) +
             ", which holds Python objects or references; expected one of plain bytes");
}

void look_at_other_indices(const char* op, PyObject* object, Array&& array, bool tuples,
                           Tensor& tensor) {
    PyArray_Descr* const dtype = array.dtype();
    if (PyTypeNum_ISINTEGER(dtype->type_num)) {
        py::object native =
            steal(reinterpret_cast<PyObject*>(PyArray_DescrNewByteorder(dtype, NPY_NATIVE)));
        auto* const taken = reinterpret_cast<PyArray_Descr*>(native.release().ptr());
        return tensor.look_at(
            Array(steal(PyArray_FromArray(array.get(), taken, NPY_ARRAY_DEFAULT))));
    }
    if (!PyArray_Check(object) && PyArray_SIZE(array.get()) == 0 && PySequence_Check(object)) {
        return tensor.look_at(
            Array(steal(PyArray_FromArray(array.get(), PyArray_DescrFromType(NPY_INT64),
                                          NPY_ARRAY_DEFAULT | NPY_ARRAY_FORCECAST))));
    }
    fail(ErrorKind::kType, op,
         "indices has dtype " + text_of(dtype) + ", expected an integer one" +
             advice(dtype, tuples));
}

IndexType index_type(const Tensor& indices) noexcept {
    return static_cast<IndexType>(integer_number(indices.descr()));
}

void refuse_masked(const char* op, const char* argument, PyObject* object) {
    if (!is_masked(object)) return;
    fail(ErrorKind::kType, op,
         std::string(argument) +
             " is or holds a masked array, whose mask would be lost; pass its " +
             ".filled(value), or its .data to use what the mask hides");
}

}  // namespace dmlindex::binding
