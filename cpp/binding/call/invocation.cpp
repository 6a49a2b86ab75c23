#include "binding/call/invocation.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "binding/arrays/convert.hpp"
#include "binding/arrays/fill.hpp"
#include "binding/arrays/updates.hpp"
#include "binding/bound_operator.hpp"
#include "binding/call/device_place.hpp"
#include "binding/call/options.hpp"
#include "binding/text.hpp"
#include "error.hpp"
#include "operators/operators.hpp"
#include "operators/shape_rules.hpp"
#include "plan/overlap.hpp"

namespace dmlindex::binding {
namespace {

[[noreturn]] void fail(ErrorKind kind, const char* op, const std::string& what) {
    throw Error(kind, std::string(op) + ": " + what);
}

// The arguments that are arrays or lie on a device, converted but not looked at yet: a null object
// for a device tensor.
py::object converted(const char* op, const char* argument, PyObject* object) {
    if (is_device_tensor(object)) return {};
    return plain_array(op, argument, object).take();
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

}  // namespace

void read_invocation(const Operator& function, const Arguments& given, Invocation& call) {
    const char* const op = function.name();
    const bool scatters = !function.gathers();
    call.op = op;
    call.direction = function.direction;
    call.has_tuples = function.has_tuples;
    call.function = &function;
    PyObject* const input = given[Parameter::kInput];
    PyObject* const places = given[Parameter::kIndices];
    call.device = device_of_call(op, given);

    // 1. All that may run somebody's code.
    py::object input_array = converted(op, "input", input);
    py::object index_array = converted(op, "indices", places);
    Updates updates;
    if (scatters) updates = Updates(op, given[Parameter::kUpdates]);
    const bool has_axis = given[Parameter::kAxis] != nullptr;
    const std::int64_t position =
        integer_argument(op, has_axis ? "axis" : "batch_dims",
                         given[has_axis ? Parameter::kAxis : Parameter::kBatchDims], 0);
    const FillValue fill(op, given[Parameter::kFillValue]);
    call.mode = mode_argument(op, given[Parameter::kMode], function.direction);
    call.reduction = reduction_argument(op, given[Parameter::kReduction]);
    call.unique_indices = flag_argument(op, "unique_indices", given[Parameter::kUniqueIndices]);

    // 2. What there is now counts.
    if (input_array) {
        look_at_data(op, "input", Array(std::move(input_array)), call.input);
    } else {
        look_at_tensor(op, "input", input, call.input);
    }
    if (index_array) {
        look_at_indices(op, places, Array(std::move(index_array)), function.has_tuples,
                        call.indices);
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
        call.result = function.shape(op, call.input.layout, call.indices.layout, call.position);
        call.fill = fill.in(op, call.input.descr());
    }
    read_out(given, call);
    call.as_tensor = is_device_tensor(input) || is_device_tensor(places) ||
                     is_device_tensor(given[Parameter::kUpdates]);
}

const Plan& plan_of(const Invocation& call, const Layout& output, bool in_place, Plan& room) {
    if (call.compiled != nullptr) return call.compiled->plan_of(call, output, in_place, room);
    begin_plan(call.direction, index_type(call.indices), call.input.element_bytes(), room);
    room.mode = call.mode;
    if (call.gathers()) {
        room.fill = fill_bytes(call.fill);
        call.function->lower(call.input.layout, call.indices.layout, output, call.position, room);
    } else {
        room.reduction = call.reduction;
        room.value_type = call.arithmetic.value_type;
        room.byte_table = call.arithmetic.byte_table;
        room.unique_indices = call.unique_indices;
        call.function->lower(output, call.indices.layout, call.updates.layout, call.position, room);
        if (!in_place) lower_copy(call.input.layout, output, room);
    }
    canonicalize(room);
    return room;
}

void check_out(const char* op, const Tensor& out, const Layout& shape, PyArray_Descr* dtype) {
    if (!is_same_dtype(out.descr(), dtype)) {
        fail(ErrorKind::kType, op,
             "out has dtype " + text_of(out.dtype) + ", expected input's dtype " + text_of(dtype));
    }
    if (out.layout.rank != shape.rank ||
        !std::equal(shape.sizes, shape.sizes + shape.rank, out.layout.sizes)) {
        fail(ErrorKind::kValue, op,
             "out has shape " + to_string(out.layout) + ", expected " + to_string(shape));
    }
}

void look_at_out(const char* op, PyObject* out, const Layout& shape, PyArray_Descr* dtype,
                 Tensor& tensor) {
    if (!PyArray_Check(out)) {
        fail(ErrorKind::kType, op, "out is a " + type_name(out) + ", expected a numpy.ndarray");
    }
    refuse_masked(op, "out", out);
    const Array array(py::reinterpret_borrow<py::object>(out));
    const int flags = PyArray_FLAGS(array.get());
    tensor.look_at(array);
    check_out(op, tensor, shape, dtype);
    if ((flags & NPY_ARRAY_WRITEABLE) == 0) {
        fail(ErrorKind::kValue, op, "out is read-only, expected a writeable array");
    }
    if ((flags & NPY_ARRAY_C_CONTIGUOUS) != 0) return;
    const auto rank = static_cast<std::size_t>(tensor.layout.rank);
    const Overlap overlap =
        self_overlap(std::span(tensor.layout.sizes, rank), std::span(tensor.layout.strides, rank),
                     tensor.element_bytes());
    if (overlap != Overlap::kNone) {
        fail(ErrorKind::kValue, op,
             std::string(overlap == Overlap::kSome
                             ? "out has elements that share memory"
                             : "out's strides are too entangled to tell that no elements "
                               "share memory") +
                 "; pass an array whose elements lie apart, e.g. a numpy.empty");
    }
}

}  // namespace dmlindex::binding
