#include "binding/call/remembered_call.hpp"

#include "binding/arrays/convert.hpp"
#include "binding/arrays/fill.hpp"
#include "binding/python/errors.hpp"
#include "plan/facts.hpp"

namespace dmlindex::binding {
namespace {

constexpr bool is_operand(Parameter parameter) noexcept {
    return parameter == Parameter::kInput || parameter == Parameter::kIndices ||
           parameter == Parameter::kUpdates || parameter == Parameter::kOut;
}

// Whether the object's value is the same for ever, so that who sees it again need not read it.
bool is_constant(PyObject* object) noexcept {
    return object == nullptr || object == Py_None || PyBool_Check(object) ||
           PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyUnicode_CheckExact(object);
}

}  // namespace

bool RememberedCall::KnownArray::is_like(PyObject* object) const noexcept {
    if (!PyArray_CheckExact(object)) return false;
    auto* const array = reinterpret_cast<PyArrayObject*>(object);
    const int rank = PyArray_NDIM(array);
    if (reinterpret_cast<PyObject*>(PyArray_DESCR(array)) != dtype.ptr() || rank != layout.rank ||
        PyArray_ITEMSIZE(array) != element_bytes) {
        return false;
    }
    const npy_intp* const sizes = PyArray_DIMS(array);
    const npy_intp* const strides = PyArray_STRIDES(array);
    for (int d = 0; d < rank; ++d) {
        if (sizes[d] != layout.sizes[d] || strides[d] != layout.strides[d]) return false;
    }
    return true;
}

void RememberedCall::KnownArray::keep(const Tensor& tensor) {
    dtype = tensor.dtype;
    element_bytes = tensor.element_bytes();
    layout = tensor.layout;
    const auto [first, last] = span_of(tensor);
    first_byte = first - tensor.data;
    last_byte = last - tensor.data;
}

bool RememberedCall::KnownArray::is_apart(PyObject* array, const KnownArray& other,
                                          PyObject* other_array) const noexcept {
    const std::byte* const data = data_of(array);
    const std::byte* const other_data = data_of(other_array);
    return data + last_byte <= other_data + other.first_byte ||
           other_data + other.last_byte <= data + first_byte;
}

bool RememberedCall::is_like(const Operator& function, const Arguments& given) noexcept {
    if (!is_set_ || is_busy_ || given.has(Parameter::kOut) != has_out_) return false;
    if (!input_.is_like(given[Parameter::kInput])) return false;
    PyObject* const indices = given[Parameter::kIndices];
    if (!(has_number_ ? is_plain_index(indices, number_) : indices_.is_like(indices))) return false;
    if (!function.gathers() && !updates_.is_like(given[Parameter::kUpdates])) return false;
    for (int i = 0; i < function.signature.count(); ++i) {
        const Parameter parameter = function.signature[i];
        if (is_operand(parameter)) continue;
        if (given[parameter] != options_[static_cast<std::size_t>(parameter)].ptr()) return false;
    }
    return !has_out_ ||
           (out_.is_like(given[Parameter::kOut]) &&
            PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(given[Parameter::kOut])) &&
            is_apart(function, given));
}

bool RememberedCall::is_apart(const Operator& function, const Arguments& given) const noexcept {
    PyObject* const out = given[Parameter::kOut];
    const auto is_apart = [&](const KnownArray& operand, Parameter parameter) {
        return out_.is_apart(out, operand, given[parameter]);
    };
    if (!has_number_ && !is_apart(indices_, Parameter::kIndices)) return false;
    if (!function.gathers() && !is_apart(updates_, Parameter::kUpdates)) return false;
    return in_place_ ? data_of(given[Parameter::kInput]) == data_of(out)
                     : is_apart(input_, Parameter::kInput);
}

PyObject* RememberedCall::run(const Operator& function, const Arguments& given) {
    misses_ = 0;
    is_busy_ = true;
    struct Done {
        bool& is_busy;
        ~Done() { is_busy = false; }
    } done{is_busy_};
    std::byte* const input = data_of(given[Parameter::kInput]);
    const auto* const indices = has_number_ ? reinterpret_cast<const std::byte*>(&number_)
                                            : data_of(given[Parameter::kIndices]);
    const bool gathers = function.gathers();
    std::byte* const updates = gathers ? nullptr : data_of(given[Parameter::kUpdates]);
    py::object result = has_out_ ? py::reinterpret_borrow<py::object>(given[Parameter::kOut])
                                 : new_array(result_, input_.descr()).take();
    // As run_plan, which would find out again that the GIL stays: a tenth of a tiny call's time.
    const auto bad = cpu::run(plan_, prepared_,
                              buffers_of(gathers, input, indices, updates, data_of(result.ptr())),
                              has_out_ ? cpu::OnFailure::kUntouched : cpu::OnFailure::kAnything);
    if (bad) throw_index_error(function.name(), plan_, *bad, function.has_tuples);
    return result.release().ptr();
}

void RememberedCall::replace(const Invocation& call, const Plan& plan, bool in_place) {
    misses_ = 0;
    if (is_busy_ || moved_bytes(plan) >= kReleaseBytes || position_count(plan) == 0 ||
        call.input.element_bytes() == 0) {
        return;
    }
    const Arguments& given = *call.given;
    for (int p = 0; p < kParameterCount; ++p) {
        const auto parameter = static_cast<Parameter>(p);
        if (!is_operand(parameter) && !is_constant(given[parameter])) return;
    }

    is_busy_ = true;  // what goes may run Python code
    input_.keep(call.input);
    has_number_ = call.indices.data == reinterpret_cast<const std::byte*>(&call.number);
    indices_.keep(call.indices);
    if (!call.gathers()) updates_.keep(call.updates);
    has_out_ = call.has_out();
    if (has_out_) out_.keep(call.out);
    in_place_ = in_place;
    for (int p = 0; p < kParameterCount; ++p) {
        const auto parameter = static_cast<Parameter>(p);
        if (is_operand(parameter)) continue;
        options_[static_cast<std::size_t>(p)] =
            py::reinterpret_borrow<py::object>(given[parameter]);
    }
    fill_ = call.fill;
    result_ = call.result;
    plan_of(call, has_out_ ? call.out.layout : call.result, in_place, plan_);
    prepared_ = cpu::prepare(plan_);
    is_set_ = true;
    is_busy_ = false;
}

}  // namespace dmlindex::binding
