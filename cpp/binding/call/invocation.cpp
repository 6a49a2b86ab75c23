#include "binding/call/invocation.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "binding/arrays/convert.hpp"
#include "binding/arrays/fill.hpp"
#include "binding/call/bound_operator.hpp"
#include "binding/python/errors.hpp"
#include "binding/python/text.hpp"
#include "operators/operators.hpp"
#include "operators/shape_rules.hpp"
#include "plan/overlap.hpp"

namespace dmlindex::binding {
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
        room.any_order = call.any_order;
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
    Array array(py::reinterpret_borrow<py::object>(out));
    const int flags = PyArray_FLAGS(array.get());
    tensor.look_at(std::move(array));
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
