// NumPy's C API for every file of the binding: one table of functions, imported in module.cpp.
#pragma once

#define PY_ARRAY_UNIQUE_SYMBOL dmlindex_numpy_api
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION  // NumPy 1.26's, the oldest we run with
#ifndef DMLINDEX_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif

#include <pybind11/pybind11.h>
// pybind11 includes Python.h as it must be included.
#include <numpy/arrayobject.h>

namespace dmlindex::binding {

namespace py = pybind11;

// Owns what a call of Python's or NumPy's gave; throws the exception that is set where that is
// null.
inline py::object steal(PyObject* object) {
    if (object == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(object);
}

}  // namespace dmlindex::binding
