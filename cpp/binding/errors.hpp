// Errors on their way to Python.
#pragma once

#include <string>

#include "binding/numpy.hpp"
#include "cpu/backend.hpp"
#include "error.hpp"

namespace dmlindex::binding {

// Creates DescriptorError (a ValueError) and DeviceError (a RuntimeError) and adds them to the
// module.
void add_errors(py::module_& module);

// Sets the Python exception for the C++ one that is being handled.
void set_python_error() noexcept;

// Runs body for a C entry point: what it throws becomes the Python exception, and the result null.
template <class Body>
PyObject* guarded(Body&& body) noexcept {
    try {
        return body();
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

// The text of the IndexError of a failed run. tuple_dim: indices' last dim holds the coordinates
// (the
// *_nd operators).
std::string index_error_message(const char* op, const Plan& plan, const cpu::BadIndex& bad,
                                bool tuple_dim);
[[noreturn]] void throw_index_error(const char* op, const Plan& plan, const cpu::BadIndex& bad,
                                    bool tuple_dim);

}  // namespace dmlindex::binding
