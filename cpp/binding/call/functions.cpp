#include "binding/call/functions.hpp"

#include "binding/call/device_run.hpp"
#include "binding/call/dispatch.hpp"
#include "binding/call/find_duplicates.hpp"
#include "binding/call/invocation.hpp"
#include "binding/call/options.hpp"
#include "binding/errors.hpp"

namespace dmlindex::binding {
namespace {

PyObject* call_function(const Operator& function, PyObject* const* args, Py_ssize_t count,
                        PyObject* keyword_names) {
    const Arguments given = parse_arguments(function.signature, args, count, keyword_names);
    if (!is_at_hand(given[Parameter::kInput]) || !is_at_hand(given[Parameter::kIndices]) ||
        !is_at_hand(given[Parameter::kUpdates])) {
        for (const Parameter p : {Parameter::kInput, Parameter::kIndices, Parameter::kUpdates}) {
            if (is_elsewhere(given[p])) {
                return call_elsewhere(function.name(), args, count, keyword_names);
            }
        }
    }
    Invocation call;
    read_invocation(function, given, call);
    return call.device ? run_on_device(call) : run_on_host(call);
}

template <int kIndex>
PyObject* entry(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* keyword_names) {
    return guarded([&] {
        return call_function(kOperators[kIndex], args,
                             PyVectorcall_NARGS(static_cast<std::size_t>(count)), keyword_names);
    });
}

template <int... kIndices>
PyMethodDef* methods(std::integer_sequence<int, kIndices...>) {
    static PyMethodDef table[] = {method<entry<kIndices>>(kOperators[kIndices].signature,
                                                          kOperators[kIndices].documentation)...,
                                  find_duplicates_method(),
                                  {nullptr, nullptr, 0, nullptr}};
    return table;
}

}  // namespace

void add_functions(py::module_& module) {
    PyMethodDef* const table = methods(std::make_integer_sequence<int, kOperatorCount>());
    if (PyModule_AddFunctions(module.ptr(), table) != 0) throw py::error_already_set();
    module.def(
        "has_reduction",
        [](const py::object& dtype, const py::object& reduction) {
            const py::object found = py::module_::import("numpy").attr("dtype")(dtype);
            return has_arithmetic(reinterpret_cast<PyArray_Descr*>(found.ptr()),
                                  reduction_argument("has_reduction", reduction.ptr()));
        },
        py::arg("dtype"), py::arg("reduction"),
        "Whether scatters on the CPU have the reduction on a dtype.");
}

}  // namespace dmlindex::binding
