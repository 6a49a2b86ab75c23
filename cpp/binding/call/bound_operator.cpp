#include "binding/call/bound_operator.hpp"

#include <algorithm>
#include <utility>

#include "binding/arrays/convert.hpp"
#include "binding/call/device_run.hpp"

namespace dmlindex::binding {
namespace {

constexpr Signature kGatherCall("CompiledOperator(input, indices, *, out=None)");
constexpr Signature kScatterCall("CompiledOperator(input, indices, updates, *, out=None)");

}  // namespace

BoundOperator::BoundOperator(py::object desc, py::object mode, OperatorDesc core_desc,
                             CompileOptions options, std::shared_ptr<d3d12::Device> device,
                             py::object check_indices)
    : desc_(std::move(desc)),
      mode_(std::move(mode)),
      check_indices_(check_indices.is_none() ? py::object() : std::move(check_indices)),
      lowered_(std::move(core_desc), std::move(options)),
      device_(std::move(device)),
      name_(dmlindex::name(lowered_.type())) {
    const OperatorLayouts& layouts = lowered_.layouts();
    std::visit(
        [&](const auto& d) {
            input_.emplace("input", *d.input_tensor, layouts.input);
            indices_.emplace("indices", *d.indices_tensor, layouts.indices);
            if constexpr (requires { d.updates_tensor; }) {
                updates_.emplace("updates", *d.updates_tensor, layouts.updates);
            }
            output_.emplace("out", *d.output_tensor, layouts.output);
            has_tuples_ = requires { d.input_dimension_count; };
        },
        lowered_.desc());
    prepared_ = cpu::prepare(lowered_.plan());
    lies_alike_ = std::equal(layouts.input.strides, layouts.input.strides + layouts.input.rank,
                             layouts.output.strides);
}

Arguments BoundOperator::read_arguments(PyObject* const* args, Py_ssize_t count,
                                        PyObject* keyword_names) const {
    const bool scatters = lowered_.scatters();
    // op(x, i) and op(x, i, out=y) as most callers write them: nothing to search for.
    const bool has_out = keyword_names != nullptr && PyTuple_GET_SIZE(keyword_names) == 1 &&
                         PyTuple_GET_ITEM(keyword_names, 0) == interned_name(Parameter::kOut);
    if (count != (scatters ? 3 : 2) || (keyword_names != nullptr && !has_out)) {
        return parse_arguments(scatters ? kScatterCall : kGatherCall, args, count, keyword_names);
    }
    Arguments given;
    given.at(Parameter::kInput) = args[0];
    given.at(Parameter::kIndices) = args[1];
    if (scatters) given.at(Parameter::kUpdates) = args[2];
    if (has_out) given.at(Parameter::kOut) = args[count];
    return given;
}

PyObject* BoundOperator::call(PyObject* const* args, Py_ssize_t count,
                              PyObject* keyword_names) const {
    const Arguments given = read_arguments(args, count, keyword_names);
    if (check_indices_) check_indices_(py::handle(given[Parameter::kIndices]));
    if (!device_ && are_ready(given)) {
        if (!given.has(Parameter::kOut)) {
            Array output = output_->fresh();
            run_ready(lowered_.plan(), given, output.data(), cpu::OnFailure::kAnything);
            return output.release();
        }
        PyObject* const out = given[Parameter::kOut];
        if (const Plan* plan = ready_plan(given)) {
            run_ready(*plan, given, data_of(out), cpu::OnFailure::kUntouched);
            return Py_NewRef(out);
        }
    }
    return call_converting(given);
}

PyObject* BoundOperator::call_converting(const Arguments& given) const {
    Invocation call;
    read_invocation(given, call);
    return device_ ? run_on_device(call) : run_on_host(call);
}

// Whether all that is read lies as the plan wants it.
bool BoundOperator::are_ready(const Arguments& given) const noexcept {
    return input_->is_ready(given[Parameter::kInput]) &&
           indices_->is_ready(given[Parameter::kIndices]) &&
           (!updates_ || updates_->is_ready(given[Parameter::kUpdates]));
}

// The plan for arrays that are all ready, or null where they overlap or out is not.
const Plan* BoundOperator::ready_plan(const Arguments& given) const noexcept {
    PyObject* const array = given[Parameter::kOut];
    if (!output_->is_ready(array) ||
        !PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(array))) {
        return nullptr;
    }
    const std::byte* const out = data_of(array);
    const std::byte* const out_end = out + output_->span_bytes();
    const auto is_apart = [&](const Operand& operand, Parameter parameter) {
        const std::byte* const first = data_of(given[parameter]);
        return out_end <= first || first + operand.span_bytes() <= out;
    };
    if (!is_apart(*indices_, Parameter::kIndices)) return nullptr;
    if (updates_ && !is_apart(*updates_, Parameter::kUpdates)) return nullptr;
    if (is_apart(*input_, Parameter::kInput)) return &lowered_.plan();
    const bool in_place = updates_ && lies_alike_ && data_of(given[Parameter::kInput]) == out;
    return in_place ? &lowered_.plan_in_place() : nullptr;
}

void BoundOperator::run_ready(const Plan& plan, const Arguments& given, std::byte* output,
                              cpu::OnFailure on_failure) const {
    const cpu::Buffers buffers =
        buffers_of(!lowered_.scatters(), data_of(given[Parameter::kInput]),
                   data_of(given[Parameter::kIndices]),
                   updates_ ? data_of(given[Parameter::kUpdates]) : nullptr, output);
    run_plan(name(), plan, buffers, on_failure, has_tuples_, prepared_);
}

void BoundOperator::look_at(const Operand& operand, PyObject* object, py::object array,
                            Tensor& tensor) const {
    if (array) {
        look_at_data(name(), operand.argument(), Array(std::move(array)), tensor);
    } else {
        look_at_tensor(name(), operand.argument(), object, tensor);
    }
    operand.fit(name(), tensor);
    // Of a line that is larger, the part that the tensor lies in goes to a device.
    if (device_ && !tensor.memory && tensor.layout.rank == 1) {
        tensor.layout.sizes[0] = operand.line_elements(tensor.layout);
    }
}

void BoundOperator::read_invocation(const Arguments& given, Invocation& call) const {
    call.op = name();
    call.direction = lowered_.plan().direction;
    call.has_tuples = has_tuples_;
    call.compiled = this;
    call.device = device_;
    call.result = output_->shape();
    call.result_dtype = output_->dtype();
    call.can_be_in_place = updates_ && lies_alike_;
    check_places(name(), device_, given);

    // All that may run somebody's code comes first; what there is after that counts.
    const auto converted = [&](const Operand& operand, Parameter parameter) {
        PyObject* const object = given[parameter];
        if (is_device_tensor(object)) return py::object();
        return plain_array(name(), operand.argument(), object).take();
    };
    py::object input = converted(*input_, Parameter::kInput);
    py::object indices = converted(*indices_, Parameter::kIndices);
    py::object updates;
    if (updates_) updates = converted(*updates_, Parameter::kUpdates);

    PyObject* const out = given.has(Parameter::kOut) ? given[Parameter::kOut] : nullptr;
    look_at(*input_, given[Parameter::kInput], std::move(input), call.input);
    look_at(*indices_, given[Parameter::kIndices], std::move(indices), call.indices);
    if (updates_) {
        look_at(*updates_, given[Parameter::kUpdates], std::move(updates), call.updates);
    }
    call.as_tensor = is_device_tensor(given[Parameter::kInput]) ||
                     is_device_tensor(given[Parameter::kIndices]) ||
                     is_device_tensor(given[Parameter::kUpdates]);
    call.given_out = out;
    if (is_device_tensor(out)) {
        look_at(*output_, out, {}, call.out);
    } else if (out != nullptr) {
        output_->look_at_out(name(), out, call.out);
    }
}

const Plan& BoundOperator::plan_of(const Invocation& call, const Layout& output, bool in_place,
                                   Plan& room) const {
    // What the table's line holds beyond the tensor depends on the array that is given.
    const std::int64_t line_elements =
        call.gathers() ? input_->line_elements(call.input.layout)
                       : output_->line_elements(call.has_out() ? call.out.layout : call.result);
    if (device_) {
        const Plan& plan = in_place ? lowered_.plan_in_place() : lowered_.plan();
        if (!plan.is_linear || plan.line.size == line_elements) return plan;
        room = plan;
    } else {
        OperatorLayouts layouts;
        layouts.input = input_->layout_in(call.input.layout);
        layouts.indices = indices_->layout_in(call.indices.layout);
        if (updates_) layouts.updates = updates_->layout_in(call.updates.layout);
        layouts.output = output_->layout_in(output);
        lowered_.lower(layouts, in_place, room);
    }
    if (room.is_linear) room.line.size = line_elements;
    return room;
}

}  // namespace dmlindex::binding
