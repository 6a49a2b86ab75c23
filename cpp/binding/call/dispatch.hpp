// Calls with arguments that are not in this process's memory: they are handed on.
#pragma once

#include "binding/python/signature.hpp"

namespace dmlindex::binding {

// Whether an object is certainly no such array, as a glance at its type tells.
inline bool is_at_hand(PyObject* object) noexcept {
    return object == nullptr || PyArray_CheckExact(object) || PyList_CheckExact(object);
}

// Whether an object is a Dask collection.
bool is_elsewhere(PyObject* object);
// The call as that of the function of the same name in dmlindex.dask, which takes such arrays.
PyObject* call_elsewhere(const char* op, PyObject* const* args, Py_ssize_t count,
                         PyObject* keyword_names);

}  // namespace dmlindex::binding
