#include "binding/call/functions.hpp"

#include <new>

#include "binding/arrays/convert.hpp"
#include "binding/arrays/fill.hpp"
#include "binding/call/device_run.hpp"
#include "binding/call/dispatch.hpp"
#include "binding/call/find_duplicates.hpp"
#include "binding/call/invocation.hpp"
#include "binding/call/operator_table.hpp"
#include "binding/call/remembered_call.hpp"
#include "binding/call/updates.hpp"
#include "binding/python/errors.hpp"
#include "binding/python/options.hpp"

namespace dmlindex::binding {
namespace {

py::object borrowed(PyObject* object) { return py::reinterpret_borrow<py::object>(object); }

// The arguments that are arrays or lie on a device, converted but not looked at yet: a null object
// for a device tensor.
py::object converted(const char* op, const char* argument, PyObject* object) {
    if (PyArray_CheckExact(object)) return borrowed(object);
    if (is_device_tensor(object)) return {};
    return plain_array(op, argument, object).take();
}

// Whether all operands are ndarrays of NumPy's own type, as most are: then nothing more has to be
// asked about devices, other libraries' arrays and numbers.
bool are_arrays(const Arguments& given, bool scatters) noexcept {
    return PyArray_CheckExact(given[Parameter::kInput]) &&
           PyArray_CheckExact(given[Parameter::kIndices]) &&
           (!scatters || PyArray_CheckExact(given[Parameter::kUpdates]));
}

void read_out(const Arguments& given, Invocation& call) {
    if (!given.has(Parameter::kOut)) return;
    PyObject* const out = call.given_out = given[Parameter::kOut];
    if (is_device_tensor(out)) {
        look_at_tensor(call.op, "out", out, call.out);
        check_out(call.op, call.out, call.result, call.result_dtype);
    } else {
        look_at_out(call.op, out, call.result, call.result_dtype, call.out);
    }
}

// One for each function, for as long as the process lives: at its end nobody may let go of Python
// objects any more.
RememberedCall* const remembered_calls = new RememberedCall[kOperatorCount];

// Converts, looks at and checks what a call of a function gave; arrays: all operands are ndarrays.
// Throws what the function's documentation says.
template <int kIndex>
void read_invocation(const Arguments& given, bool arrays, Invocation& call) {
    static constexpr const Operator& function = kOperators[kIndex];
    const char* const op = function.name();
    constexpr bool scatters = !function.gathers();
    call.op = op;
    call.direction = function.direction;
    call.has_tuples = function.has_tuples;
    call.function = &function;
    PyObject* const input = given[Parameter::kInput];
    PyObject* const places = given[Parameter::kIndices];
    if (!arrays || given[Parameter::kDevice] != nullptr || given[Parameter::kOut] != nullptr) {
        call.device = device_of_call(op, given);
    }

    // 1. All that may run somebody's code.
    py::object input_array;
    py::object index_array;
    bool is_number = false;
    if (arrays) {
        input_array = borrowed(input);
        index_array = borrowed(places);
    } else {
        input_array = converted(op, "input", input);
        is_number = !call.device && is_plain_index(places, call.number);
        if (!is_number) index_array = converted(op, "indices", places);
    }
    Updates updates;
    if (scatters) updates.convert(op, given[Parameter::kUpdates]);
    const bool has_axis = given[Parameter::kAxis] != nullptr;
    const std::int64_t position =
        integer_argument(op, has_axis ? "axis" : "batch_dims",
                         given[has_axis ? Parameter::kAxis : Parameter::kBatchDims], 0);
    const FillValue fill(op, given[Parameter::kFillValue]);
    call.mode = mode_argument(op, given[Parameter::kMode], function.direction);
    if (scatters) {
        call.reduction = reduction_argument(op, given[Parameter::kReduction]);
        call.unique_indices = flag_argument(op, "unique_indices", given[Parameter::kUniqueIndices]);
        PyObject* const ordered = given[Parameter::kOrdered];
        call.any_order = ordered != nullptr && !flag_argument(op, "ordered", ordered);
    }

    // 2. What there is now counts.
    if (input_array) {
        look_at_data(op, "input", Array(std::move(input_array)), call.input);
    } else {
        look_at_tensor(op, "input", input, call.input);
    }
    if (index_array) {
        look_at_indices(op, places, Array(std::move(index_array)), function.has_tuples,
                        call.indices);
    } else if (is_number) {
        call.indices.look_at_number(&call.number);
    } else {
        look_at_index_tensor(op, places, call.indices);
    }
    call.result_dtype = call.input.descr();
    call.can_be_in_place = scatters;
    call.position = function.position(op, position, call.input.layout, call.indices.layout);
    if (scatters) {
        const Layout shape =
            function.shape(op, call.input.layout, call.indices.layout, call.position);
        updates.look_at(op, call.input.descr(), shape, call.updates);
        call.result = call.input.layout;
        call.arithmetic = arithmetic(op, call.input.descr(), call.reduction);
        if (call.device) check_reduction_on_device(op, call);
    } else {
        // Made where it stays.
        ::new (static_cast<void*>(&call.result))
            Layout(function.shape(op, call.input.layout, call.indices.layout, call.position));
        call.fill = fill.in(op, call.input.descr());
    }
    read_out(given, call);
    if (arrays || (is_number && PyArray_CheckExact(input) &&
                   (!scatters || PyArray_CheckExact(given[Parameter::kUpdates])))) {
        call.remembered = &remembered_calls[kIndex];
        call.given = &given;
    }
    call.as_tensor = !arrays && (is_device_tensor(input) || is_device_tensor(places) ||
                                 (scatters && is_device_tensor(given[Parameter::kUpdates])));
}

// Reads, checks and lowers the call before it runs.
template <int kIndex>
[[gnu::noinline]] PyObject* call_anew(const Arguments& given, PyObject* const* args,
                                      Py_ssize_t count, PyObject* keyword_names) {
    static constexpr const Operator& function = kOperators[kIndex];
    const bool arrays = are_arrays(given, !function.gathers());
    if (!arrays) {
        for (const Parameter p : {Parameter::kInput, Parameter::kIndices, Parameter::kUpdates}) {
            if (is_elsewhere(given[p])) {
                return call_elsewhere(function.name(), args, count, keyword_names);
            }
        }
    }
    Invocation call;
    read_invocation<kIndex>(given, arrays, call);
    return call.device ? run_on_device(call) : run_on_host(call);
}

template <int kIndex>
PyObject* call_function(PyObject* const* args, Py_ssize_t count, PyObject* keyword_names) {
    static constexpr const Operator& function = kOperators[kIndex];
    const Arguments given = parse_arguments(function.signature, args, count, keyword_names);
    PyObject* const result = remembered_calls[kIndex].run_again(function, given);
    return result != nullptr ? result : call_anew<kIndex>(given, args, count, keyword_names);
}

template <int kIndex>
PyObject* entry(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* keyword_names) {
    return guarded([&] {
        return call_function<kIndex>(args, PyVectorcall_NARGS(static_cast<std::size_t>(count)),
                                     keyword_names);
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
