// One call, ready to run: every argument was converted, looked at and found right, and nothing of
// what Python holds is asked again. Functions and compiled operators both make one; host.cpp and
// device_run.cpp take it.
#pragma once

#include <memory>

#include "binding/arrays/array.hpp"
#include "binding/arrays/dtypes.hpp"
#include "binding/call/operators.hpp"
#include "cpu/backend.hpp"

namespace dmlindex::d3d12 {
class Device;
}

namespace dmlindex::binding {

class BoundOperator;
class RememberedCall;

struct Invocation {
    const char* op = nullptr;
    Direction direction = Direction::kGather;
    bool has_tuples = false;  // the last dim of indices holds the coordinates

    // As arrays or device tensors; null owners where there are no updates, and no out.
    Tensor input;
    Tensor indices;
    std::int64_t number = 0;  // indices, where they are one Python int
    Tensor updates;
    Tensor out;
    PyObject* given_out = nullptr;  // borrowed, what the call returns then

    Layout result;                          // the result's shape, whether out is given or not
    PyArray_Descr* result_dtype = nullptr;  // borrowed
    bool as_tensor = false;                 // a new result is a DeviceTensor
    bool can_be_in_place = false;           // where out is input itself

    std::shared_ptr<d3d12::Device> device;  // null on the CPU

    // Where the operator is a function's: what it is, and its options.
    const Operator* function = nullptr;
    int position = 0;
    Mode mode = Mode::kRaise;
    Reduction reduction = Reduction::kNone;
    Arithmetic arithmetic;
    bool unique_indices = false;
    bool any_order = false;                // of a reduction
    py::object fill;                       // bytes; null means zeros
    RememberedCall* remembered = nullptr;  // where it may be kept; null where it can't
    const Arguments* given = nullptr;      // set with remembered

    // Where it is compiled.
    const BoundOperator* compiled = nullptr;

    bool gathers() const noexcept { return direction == Direction::kGather; }
    bool has_out() const noexcept { return given_out != nullptr; }
};

// The canonical plan of a call whose result lies as output says: made in room, or one that was
// made before. In place, a scatter's input is its output.
const Plan& plan_of(const Invocation& call, const Layout& output, bool in_place, Plan& room);

// Looks at out: Error(kType) or Error(kValue) unless it is an array of the exact shape and dtype,
// writeable, with no two elements in one place.
void look_at_out(const char* op, PyObject* out, const Layout& shape, PyArray_Descr* dtype,
                 Tensor& tensor);

// Error(kType) unless the dtype is that which out must have, Error(kValue) unless the shape is.
void check_out(const char* op, const Tensor& out, const Layout& shape, PyArray_Descr* dtype);

// The executor on the CPU; device_run.hpp has the other. Gives the call's result.
PyObject* run_on_host(Invocation& call);

// Below this a call is over sooner than other threads could take the GIL.
inline constexpr std::int64_t kReleaseBytes = 64 << 10;

// What a plan's bytes are; updates is null for a gather.
inline cpu::Buffers buffers_of(bool gathers, std::byte* input, const std::byte* indices,
                               std::byte* updates, std::byte* output) noexcept {
    return gathers ? cpu::Buffers{input, output, indices, nullptr}
                   : cpu::Buffers{output, updates, indices, input};
}

// Runs a canonical plan on the CPU; without the GIL where the traffic is worth it. Error(kIndex)
// for an index out of range that the mode does not allow. prepared: what is known of the plan.
void run_plan(const char* op, const Plan& plan, const cpu::Buffers& buffers,
              cpu::OnFailure on_failure, bool has_tuples, const cpu::Prepared& prepared = {});

}  // namespace dmlindex::binding
