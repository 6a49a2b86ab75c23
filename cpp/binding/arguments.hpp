// The arguments of a raw C entry point, and what is read from them. pybind11's own dispatch costs
// several times as much as a small gather does.
#pragma once

#include "binding/numpy.hpp"
#include "plan/plan.hpp"

namespace dmlindex::binding {

// A function's parameters, as in its Python signature.
struct Signature {
    const char* name;
    int count;
    int positional;  // the others are keyword-only
    int required;
    const char* parameters[10];
};

// A line of the module's table of entry points.
template <auto kEntry>
PyMethodDef method(const char* name, const char* doc) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(kEntry)),
            METH_FASTCALL | METH_KEYWORDS, doc};
}

// Borrowed references, in the order of the parameters; null where one was not given.
struct Arguments {
    PyObject* values[10] = {};

    PyObject* operator[](int i) const noexcept { return values[i]; }
};

// Error(kType) as Python's own for an argument missing, unknown, or given twice.
Arguments parse_arguments(const Signature& signature, PyObject* const* args, Py_ssize_t count,
                          PyObject* keyword_names);

// Reading one argument; each takes the default where it is null.
std::int64_t integer_argument(const char* op, const char* name, PyObject* value,
                              std::int64_t otherwise);
bool flag_argument(const char* op, const char* name, PyObject* value);
Mode mode_argument(const char* op, PyObject* value, Direction direction);
Reduction reduction_argument(const char* op, PyObject* value);

// The bytes of fill_value in the dtype; a null object for zeros.
py::object fill_argument(const char* op, PyObject* value, PyArray_Descr* dtype);
inline const std::byte* fill_bytes(const py::object& fill) noexcept {
    return fill ? reinterpret_cast<const std::byte*>(PyBytes_AS_STRING(fill.ptr())) : nullptr;
}

}  // namespace dmlindex::binding
