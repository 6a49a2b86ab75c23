// Arrays that are not in this process's memory. They are asked for only where an argument is no
// ndarray.
#pragma once

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

// Whether an object is a number, a text, or a range of numbers: nothing foreign.
inline bool is_plain_value(PyObject* object) noexcept {
    return PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object) ||
           PyUnicode_Check(object) || PyBytes_Check(object) || PyRange_Check(object) ||
           PyArray_IsScalar(object, Generic);
}

// Whether a foreign object is a Dask collection.
bool is_dask_collection(PyObject* object);

// Error(kType) for a Dask collection where only arrays at hand will do: NumPy would compute it at
// once.
void refuse_elsewhere(const char* op, const char* argument, PyObject* object);

}  // namespace dmlindex::binding
