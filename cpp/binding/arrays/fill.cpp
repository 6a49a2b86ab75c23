#include "binding/arrays/fill.hpp"

#include <cmath>
#include <string>

#include "binding/arrays/convert.hpp"
#include "binding/arrays/dtypes.hpp"
#include "binding/arrays/quiet.hpp"
#include "binding/arrays/weak.hpp"
#include "binding/python/gil.hpp"
#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {
namespace {

bool is_positive_zero(PyObject* value) {
    if (PyLong_CheckExact(value) || PyBool_Check(value)) return PyObject_IsTrue(value) == 0;
    if (PyFloat_CheckExact(value)) {
        const double number = PyFloat_AS_DOUBLE(value);
        return number == 0.0 && !std::signbit(number);
    }
    if (PyArray_IsScalar(value, Timedelta)) return false;
    if (!PyArray_IsScalar(value, Integer) && !PyArray_IsScalar(value, Floating)) return false;
    const double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return number == 0.0 && !std::signbit(number) && PyObject_IsTrue(value) == 0;
}

bool is_true(const py::object& object) {
    const int truth = PyObject_IsTrue(object.ptr());
    if (truth < 0) throw py::error_already_set();
    return truth == 1;
}

bool equal(const py::object& a, const py::object& b) {
    return is_true(steal(PyObject_RichCompare(a.ptr(), b.ptr(), Py_EQ)));
}

bool is_number(const PyArray_Descr* dtype) {
    return PyTypeNum_ISBOOL(dtype->type_num) || PyTypeNum_ISNUMBER(dtype->type_num) ||
           ml_type(dtype) != MlType::kNone;
}

// A Python number, where there is one for all that the dtype has: Python compares numbers of
// different types exactly, NumPy would round one to the other's type.
py::object number_of(const py::object& array, const PyArray_Descr* dtype) {
    const py::object item = array.attr("item")();
    return ml_type(dtype) == MlType::kNone ? item : py::object(py::float_(item));
}

// The 0-d array in the dtype; a null object if that is another value, or of another kind.
py::object exactly(py::object given, PyArray_Descr* dtype) {
    auto* const array = reinterpret_cast<PyArrayObject*>(given.ptr());
    const PyArray_Descr* const from = PyArray_DESCR(array);
    if (PyArray_NDIM(array) > 0 || PyDataType_REFCHK(from)) return {};
    const bool numbers = is_number(from) && is_number(dtype);
    if (!numbers && from->kind != dtype->kind) return {};
    if (numbers && PyTypeNum_ISCOMPLEX(from->type_num) && !PyTypeNum_ISCOMPLEX(dtype->type_num)) {
        if (is_true(given.attr("imag"))) return {};
        return exactly(given.attr("real"), dtype);
    }
    const QuietNumbers quiet;
    const py::object to = given.attr("astype")(py::handle(reinterpret_cast<PyObject*>(dtype)));
    const bool same =
        numbers ? equal(number_of(to, dtype), number_of(given, from)) : equal(to, given);
    return same || (!equal(to, to) && !equal(given, given)) ? to : py::object();
}

}  // namespace

void FillValue::convert(const char* op) {
    is_zero_ = is_positive_zero(value_);
    Layout shape;
    if (is_zero_ || (weak_shape(value_, shape) && shape.rank == 0)) return;
    refuse_masked(op, "fill_value", value_);
    try {
        array_ = steal(run_python([&] { return PyArray_FROM_O(value_); }));
    } catch (py::error_already_set& error) {
        if (!is_refusal(error)) throw;
        array_ = py::none();  // of which no dtype is
    }
}

py::object FillValue::bytes_in(const char* op, PyArray_Descr* dtype) const {
    py::object filled;
    if (!array_ && takes_weak(dtype)) {
        Layout shape;
        weak_shape(value_, shape);
        if (!PyTypeNum_ISBOOL(dtype->type_num) || PyBool_Check(value_)) {
            filled = weak_array(op, "fill_value", value_, shape, dtype).take();
        }
    } else if (array_ && PyArray_Check(array_.ptr())) {
        try {
            filled = exactly(array_, dtype);
        } catch (py::error_already_set& error) {
            if (!is_refusal(error)) throw;  // else NumPy has no such conversion
        }
    }
    if (!filled) {
        throw Error(ErrorKind::kValue, std::string(op) + ": fill_value is " + shown(value_) +
                                           ", expected one that dtype " + text_of(dtype) +
                                           " holds exactly");
    }
    return filled.attr("tobytes")();
}

}  // namespace dmlindex::binding
