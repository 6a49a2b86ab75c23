#include "binding/device_operator.hpp"

#include <utility>

#include "binding/device_operands.hpp"
#include "error.hpp"

namespace dmlindex::binding {
namespace {

// Checks that every operand that is a tensor lies on the device.
void check_places(const BoundOperator& op, const CallArguments& given) {
    const std::pair<const char*, PyObject*> operands[] = {{"input", given.input},
                                                          {"indices", given.indices},
                                                          {"updates", given.updates},
                                                          {"out", given.out}};
    for (const auto& [argument, object] : operands) {
        const DeviceTensor* const tensor = as_device_tensor(op.name(), argument, object);
        if (tensor != nullptr) check_place(op.name(), argument, *tensor, op.device());
    }
}

PyArray_Descr* dtype_of(const DeviceTensor& tensor) noexcept {
    return reinterpret_cast<PyArray_Descr*>(tensor.dtype.ptr());
}

Source source(const BoundOperator& op, const Operand& operand, PyObject* object) {
    const DeviceTensor* const tensor = as_device_tensor(op.name(), operand.argument(), object);
    if (tensor == nullptr)
        return {op.name(), operand.used_part(operand.readable(op.name(), object))};
    operand.check(op.name(), dtype_of(*tensor), tensor->layout);
    return Source(*tensor);
}

// Where the output goes: to the tensor that is given, or to new memory, packed as the desc says;
// from there it comes to an array in the end, where one is wanted.
class Output {
  public:
    Output(const BoundOperator& op, PyObject* out, bool as_tensor)
        : op_(op), operand_(op.output()), as_tensor_(as_tensor) {
        if (out == nullptr) return;
        out_ = py::reinterpret_borrow<py::object>(out);
        if (DeviceTensor* const tensor = as_device_tensor(op.name(), operand_.argument(), out)) {
            operand_.check(op.name(), dtype_of(*tensor), tensor->layout);
            memory_ = tensor->memory;
        } else {
            array_ = operand_.writeable(op.name(), out);
        }
    }

    // Whether the memory holds nothing of worth before the call.
    bool is_fresh() const noexcept { return !out_ || array_; }

    const MemoryPtr& memory() {
        if (memory_) return memory_;
        const auto bytes =
            static_cast<std::uint64_t>(element_count(operand_.shape()) * operand_.element_bytes());
        const py::gil_scoped_release released;
        memory_ = std::make_shared<d3d12::Memory>(op_.device(), bytes);
        // The padding of a new tensor is zero; that of an array is never copied there.
        if (operand_.is_strided() && !array_) op_.device()->clear(*memory_);
        return memory_;
    }

    // The call's result, after the plan was queued.
    PyObject* finish() {
        if (out_ && !array_) return out_.release().ptr();
        if (!array_ && as_tensor_) {
            return new_device_tensor({memory_, operand_.shape(), operand_.dtype_object()});
        }
        if (array_ && !operand_.is_strided() && PyArray_IS_C_CONTIGUOUS(array_->get())) {
            download(*memory_, *array_);
            return array_->release();
        }
        Layout shape = operand_.shape();
        Array packed = new_array(op_.name(), shape, operand_.dtype());
        download(*memory_, packed);
        if (!array_) return packed.release();
        copy_elements(operand_.view(*array_), operand_.view(packed));
        return array_->release();
    }

  private:
    const BoundOperator& op_;
    const Operand& operand_;
    bool as_tensor_;
    py::object out_;
    std::optional<Array> array_;  // out, where that is an array
    MemoryPtr memory_;
};

}  // namespace

std::shared_ptr<d3d12::Device> device_or_cpu(const char* op, const std::string& name) {
    return name == "cpu" ? nullptr : device_named(op, name);
}

std::string place_of(const BoundOperator& op) {
    return op.device() ? name_of(*op.device()) : "cpu";
}

PyObject* call_on_device(const BoundOperator& op, const CallArguments& given) {
    const DevicePtr& device = op.device();
    check_places(op, given);
    Source input = source(op, op.input(), given.input);
    Source indices = source(op, op.indices(), given.indices);
    std::optional<Source> updates;
    if (op.updates() != nullptr) updates = source(op, *op.updates(), given.updates);
    const bool as_tensor = is_device_tensor(given.input) || is_device_tensor(given.indices) ||
                           is_device_tensor(given.updates);
    Output output(op, given.out, as_tensor);

    const MemoryPtr& written = output.memory();
    const bool in_place = updates && op.lies_alike() && input.memory(device) == written;
    if (!in_place) input.keep_apart(device, written);
    indices.keep_apart(device, written);
    if (updates) updates->keep_apart(device, written);

    const Plan& plan = in_place ? op.core().plan_in_place() : op.core().plan();
    const d3d12::Memory* const read = input.memory(device).get();
    const d3d12::Memory* const places = indices.memory(device).get();
    if (updates) {
        queue_plan(
            op.name(), device, plan,
            {written.get(), updates->memory(device).get(), places, in_place ? nullptr : read},
            output.is_fresh(), op.has_tuples());
    } else {
        queue_plan(op.name(), device, plan, {read, written.get(), places, nullptr},
                   output.is_fresh(), op.has_tuples());
    }
    return output.finish();
}

void refuse_device_tensors(const BoundOperator& op, const CallArguments& given) {
    check_places(op, given);
}

}  // namespace dmlindex::binding
