#include "binding/call/device_run.hpp"

#include <algorithm>
#include <string>

#include "binding/call/bound_operator.hpp"
#include "binding/device/waiting.hpp"
#include "binding/python/errors.hpp"
#include "binding/python/gil.hpp"
#include "dmlindex/error.hpp"
#include "plan/facts.hpp"

namespace dmlindex::binding {
namespace {

bool is_one_element(const Layout& layout) noexcept {
    return layout.rank > 0 && element_count(layout) > 0 &&
           std::all_of(layout.strides, layout.strides + layout.rank, [](auto s) { return s == 0; });
}

// Makes an operand lie on the device, packed.
void bring(const Invocation& call, Tensor& tensor) {
    if (tensor.memory) return;
    if (call.function != nullptr && is_one_element(tensor.layout)) {
        Tensor one = tensor;  // which the plan reads again and again
        one.layout.rank = 0;
        tensor.memory = upload(call.device, bytes_of(one));
        return;
    }
    tensor.memory = upload(call.device, bytes_of(tensor));
    set_packed_strides(tensor.layout, tensor.element_bytes(), call.op);
}

// Makes the operand's memory another one than written, with the same bytes.
void keep_apart(const DevicePtr& device, Tensor& tensor, const MemoryPtr& written) {
    if (!tensor.memory->overlaps(*written)) return;
    const GilReleased released;
    auto copy = std::make_shared<d3d12::Memory>(device, tensor.memory->bytes());
    device->copy(*copy, *tensor.memory);
    tensor.memory = std::move(copy);
}

// How many elements of a line that is given as out a scatter may change: with Mode::kDirectml also
// those that are not the tensor's. 0 where there is none.
std::int64_t reached_line(const Invocation& call) {
    if (call.compiled == nullptr || call.gathers() || !call.has_out() || call.out.memory) return 0;
    if (call.compiled->lowered().mode() != Mode::kDirectml || call.out.layout.rank != 1) return 0;
    return call.compiled->output().line_elements(call.out.layout);
}

// Where the output goes: to the tensor that is given, or to new memory; from there it comes to an
// array in the end, where one is wanted.
class Result {
  public:
    explicit Result(Invocation& call)
        : call_(call),
          strided_(call.compiled != nullptr && call.compiled->output().is_strided()),
          line_elements_(reached_line(call)) {
        set_packed_strides(call.result, PyDataType_ELSIZE(call.result_dtype), call.op);
        memory_ = call.out.memory;
    }

    // Whether the memory holds nothing of worth before the call.
    bool is_fresh() const noexcept { return !call_.out.memory; }

    const MemoryPtr& memory() {
        if (memory_) return memory_;
        if (line_elements_ > 0) {
            memory_ = upload(call_.device, bytes_of(line(call_.out)));
            return memory_;
        }
        const std::int64_t bytes =
            element_count(call_.result) * PyDataType_ELSIZE(call_.result_dtype);
        const GilReleased released;
        memory_ = std::make_shared<d3d12::Memory>(call_.device, static_cast<std::uint64_t>(bytes));
        // The padding of a new tensor is zero; that of an array is copied only where it may change.
        if (strided_ && !call_.has_out()) call_.device->clear(*memory_);
        return memory_;
    }

    // The call's result, after the plan was queued.
    PyObject* finish() {
        if (!is_fresh()) return Py_NewRef(call_.given_out);
        py::object dtype =
            py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(call_.result_dtype));
        if (!call_.has_out() && call_.as_tensor) {
            return new_device_tensor({memory_, call_.result, std::move(dtype)}).release().ptr();
        }
        const bool comes_whole = call_.has_out() && (!strided_ || line_elements_ > 0) &&
                                 is_packed(call_.out) &&
                                 memory_->bytes() <= d3d12::kWholeDownloadBytes;
        if (comes_whole) {
            fetch(call_.out);
            return Py_NewRef(call_.given_out);
        }
        Layout shape = line_elements_ > 0 ? line(call_.out).layout : call_.result;
        Tensor packed;
        packed.look_at(new_array(call_.op, shape, call_.result_dtype));
        fetch(packed);
        if (!call_.has_out()) return packed.owner.release().ptr();
        copy_elements(changed(call_.out), changed(packed));
        return Py_NewRef(call_.given_out);
    }

  private:
    // No signal ends a call that writes.
    void fetch(const Tensor& to) const {
        if (call_.has_out()) {
            const GilReleased released;
            call_.device->download(*memory_, to.data);
            return;
        }
        wait_interruptibly([&](const d3d12::Interrupt& interrupt) {
            call_.device->download(*memory_, to.data, interrupt);
        });
    }

    Tensor line(Tensor array) const {
        array.layout.sizes[0] = line_elements_;
        return array;
    }

    // What the call may change of it.
    Tensor changed(Tensor tensor) const {
        if (line_elements_ > 0) return line(tensor);
        if (call_.compiled != nullptr) {
            tensor.layout = call_.compiled->output().layout_in(tensor.layout);
        }
        return tensor;
    }

    Invocation& call_;
    bool strided_;
    std::int64_t line_elements_;  // 0 unless a scatter reaches more of a line than the tensor
    MemoryPtr memory_;
};

// Queues a canonical plan. An error of the device gets the operator's name.
void queue_plan(const Invocation& call, const Plan& plan, const d3d12::Operands& operands,
                bool fresh) {
    d3d12::Describe describe;  // the text of an index error, whenever it is wanted
    if (may_fail(plan)) {
        describe = [op = std::string(call.op), indexing = Indexing(plan),
                    has_tuples = call.has_tuples](const BadIndex& bad) {
            return index_error_message(op.c_str(), indexing, bad, has_tuples);
        };
    }
    try {
        const GilReleased released;
        call.device->run(plan, operands, fresh, std::move(describe));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::kIndex) throw;
        throw Error(error.kind(), std::string(call.op) + ": " + error.what());
    }
}

}  // namespace

PyObject* run_on_device(Invocation& call) {
    const d3d12::Lap lap(d3d12::Part::kCall);
    if (call.out.memory && !call.out.memory->can_be_written()) {
        throw Error(ErrorKind::kValue,
                    std::string(call.op) + ": out is a part of a tensor and " +
                        std::to_string(call.out.bytes()) +
                        " bytes large, expected a multiple of 16 or all the rest of the tensor, as "
                        "kernels write whole groups of 16 bytes");
    }
    bring(call, call.input);
    bring(call, call.indices);
    if (call.updates.is_given()) bring(call, call.updates);
    Result result(call);
    const MemoryPtr& written = result.memory();
    const bool in_place = call.can_be_in_place && call.input.memory->is_same(*written);
    if (!in_place) keep_apart(call.device, call.input, written);
    keep_apart(call.device, call.indices, written);
    if (call.updates.is_given()) keep_apart(call.device, call.updates, written);

    Plan room;
    const Plan& plan = [&]() -> const Plan& {
        const d3d12::Lap planning(d3d12::Part::kPlan);
        return plan_of(call, call.result, in_place, room);
    }();
    const d3d12::Memory* const input = call.input.memory.get();
    const d3d12::Memory* const indices = call.indices.memory.get();
    const d3d12::Operands operands = call.gathers()
                                         ? d3d12::Operands{input, written.get(), indices, nullptr}
                                         : d3d12::Operands{written.get(), call.updates.memory.get(),
                                                           indices, in_place ? nullptr : input};
    queue_plan(call, plan, operands, result.is_fresh());
    return result.finish();
}

}  // namespace dmlindex::binding
