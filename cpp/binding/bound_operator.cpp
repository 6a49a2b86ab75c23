#include "binding/bound_operator.hpp"

#include <algorithm>
#include <utility>

#include "binding/arguments.hpp"
#include "binding/device_operator.hpp"
#include "binding/errors.hpp"

namespace dmlindex::binding {
namespace {

// Below this a call is over sooner than other threads could take the GIL.
constexpr std::int64_t kReleaseBytes = 64 << 10;

constexpr Signature kGatherCall{"CompiledOperator", 3, 2, 2, {"input", "indices", "out"}};
constexpr Signature kScatterCall{
    "CompiledOperator", 4, 3, 3, {"input", "indices", "updates", "out"}};

PyObject* out_keyword = nullptr;

std::byte* data(PyObject* array) noexcept {
    return array == nullptr
               ? nullptr
               : static_cast<std::byte*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
}

}  // namespace

BoundOperator::BoundOperator(py::object desc, py::object mode, OperatorDesc core_desc,
                             CompileOptions options, std::shared_ptr<d3d12::Device> device)
    : desc_(std::move(desc)),
      mode_(std::move(mode)),
      core_(std::move(core_desc), std::move(options)),
      device_(std::move(device)),
      name_(dmlindex::name(core_.type())) {
    const OperatorLayouts& layouts = core_.layouts();
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
        core_.desc());
    lies_alike_ = std::equal(layouts.input.strides, layouts.input.strides + layouts.input.rank,
                             layouts.output.strides);
    traffic_bytes_ =
        element_count(layouts.output) * core_.plan().element_bytes + indices_->span_bytes();
}

CallArguments BoundOperator::read_arguments(PyObject* const* args, Py_ssize_t count,
                                            PyObject* keyword_names) const {
    const bool scatters = core_.scatters();
    // op(x, i) and op(x, i, out=y) as most callers write them: nothing to search for.
    const bool has_out = keyword_names != nullptr && PyTuple_GET_SIZE(keyword_names) == 1 &&
                         PyTuple_GET_ITEM(keyword_names, 0) == out_keyword;
    if (count == (scatters ? 3 : 2) && (keyword_names == nullptr || has_out)) {
        PyObject* const out = has_out ? args[count] : Py_None;
        return {args[0], args[1], scatters ? args[2] : nullptr, out == Py_None ? nullptr : out};
    }
    const Arguments given =
        parse_arguments(scatters ? kScatterCall : kGatherCall, args, count, keyword_names);
    PyObject* const out = given[scatters ? 3 : 2];
    return {given[0], given[1], scatters ? given[2] : nullptr, out == Py_None ? nullptr : out};
}

PyObject* BoundOperator::call(const CallArguments& given) const {
    if (input_->is_ready(given.input) && indices_->is_ready(given.indices) &&
        (given.updates == nullptr || updates_->is_ready(given.updates))) {
        if (given.out == nullptr) {
            Array output = output_->fresh();
            run_ready(core_.plan(), given, output.data(), cpu::OnFailure::kAnything);
            return output.release();
        }
        if (const Plan* plan = ready_plan(given)) {
            run_ready(*plan, given, data(given.out), cpu::OnFailure::kUntouched);
            return Py_NewRef(given.out);
        }
    }
    return call_converting(given);
}

// The plan for arrays that are all ready, or null where they overlap or out is not.
const Plan* BoundOperator::ready_plan(const CallArguments& given) const noexcept {
    if (!output_->is_ready(given.out) ||
        !PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(given.out))) {
        return nullptr;
    }
    const std::byte* const out = data(given.out);
    const std::byte* const out_end = out + output_->span_bytes();
    const auto is_apart = [&](const Operand& operand, PyObject* array) {
        const std::byte* const first = data(array);
        return out_end <= first || first + operand.span_bytes() <= out;
    };
    if (!is_apart(*indices_, given.indices)) return nullptr;
    if (given.updates != nullptr && !is_apart(*updates_, given.updates)) return nullptr;
    if (is_apart(*input_, given.input)) return &core_.plan();
    const bool in_place = given.updates != nullptr && lies_alike_ && data(given.input) == out;
    return in_place ? &core_.plan_in_place() : nullptr;
}

void BoundOperator::run_ready(const Plan& plan, const CallArguments& given, std::byte* output,
                              cpu::OnFailure on_failure) const {
    run(plan, data(given.input), data(given.indices), data(given.updates), output, on_failure);
}

void BoundOperator::run(const Plan& plan, std::byte* input, const std::byte* indices,
                        std::byte* updates, std::byte* output, cpu::OnFailure on_failure) const {
    const cpu::Buffers buffers =
        core_.scatters()
            ? cpu::Buffers{output, updates, indices, plan.copies_source ? input : nullptr}
            : cpu::Buffers{input, output, indices, nullptr};
    std::optional<cpu::BadIndex> bad;
    if (traffic_bytes_ < kReleaseBytes) {
        bad = cpu::run(plan, buffers, on_failure);
    } else {
        const py::gil_scoped_release released;
        bad = cpu::run(plan, buffers, on_failure);
    }
    if (bad) throw_index_error(name_.c_str(), plan, *bad, has_tuples_);
}

// For arrays that must be converted, copied because they overlap with out, or lowered anew
// because they have strides of their own.
PyObject* BoundOperator::call_converting(const CallArguments& given) const {
    refuse_device_tensors(*this, given);
    const char* const op = name_.c_str();
    Array input = input_->readable(op, given.input);
    Array indices = indices_->readable(op, given.indices);
    std::optional<Array> updates;
    if (given.updates != nullptr) updates = updates_->readable(op, given.updates);
    const bool fresh = given.out == nullptr;
    Array output = fresh ? output_->fresh() : output_->writeable(op, given.out);
    const bool in_place = core_.scatters() && !fresh && lies_alike_ && same_view(input, output);
    if (!fresh) {
        if (!in_place) input = apart_from(std::move(input), output);
        indices = apart_from(std::move(indices), output);
        if (updates) updates = apart_from(std::move(*updates), output);
    }
    OperatorLayouts layouts;
    layouts.input = input_->layout_in(input);
    layouts.indices = indices_->layout_in(indices);
    if (updates) layouts.updates = updates_->layout_in(*updates);
    layouts.output = output_->layout_in(output);
    Plan plan;
    core_.lower(layouts, in_place, plan);
    run(plan, input.data(), indices.data(), updates ? updates->data() : nullptr, output.data(),
        fresh ? cpu::OnFailure::kAnything : cpu::OnFailure::kUntouched);
    return output.release();
}

void intern_keywords() {
    out_keyword = PyUnicode_InternFromString("out");
    if (out_keyword == nullptr) throw py::error_already_set();
}

}  // namespace dmlindex::binding
