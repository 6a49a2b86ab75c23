// Arrays that are not in this process's memory: the one place that knows them. It is asked only
// where an argument is no ndarray.
#pragma once

#include "binding/python/signature.hpp"

namespace dmlindex::binding {

// Whether an object is certainly no such array, as a glance at its type tells.
inline bool is_at_hand(PyObject* object) noexcept {
    return object == nullptr || PyArray_CheckExact(object) || PyList_CheckExact(object);
}

// Whether an object is a number, a text, or a range of numbers: nothing foreign.
inline bool is_plain_value(PyObject* object) noexcept {
    return PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object) ||
           PyUnicode_Check(object) || PyBytes_Check(object) || PyRange_Check(object) ||
           PyArray_IsScalar(object, Generic);
}

// Error(kType) for a Dask collection where only arrays at hand will do: NumPy would compute it at
// once.
void refuse_elsewhere(const char* op, const char* argument, PyObject* object);

// Whether an object is a Dask collection.
bool is_elsewhere(PyObject* object);
// The call as that of the function of the same name in dmlindex.dask, which takes such arrays.
PyObject* call_elsewhere(const char* op, PyObject* const* args, Py_ssize_t count,
                         PyObject* keyword_names);

}  // namespace dmlindex::binding
