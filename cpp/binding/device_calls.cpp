#include "binding/device_calls.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "binding/device_operands.hpp"
#include "error.hpp"
#include "operators/operators.hpp"

namespace dmlindex::binding {
namespace {

Source data_source(const char* op, const char* argument, PyObject* object) {
    if (DeviceTensor* tensor = as_device_tensor(op, argument, object)) return Source(*tensor);
    return Source(op, data_array(op, argument, object));
}

Source index_source(const char* op, PyObject* object) {
    DeviceTensor* const tensor = as_device_tensor(op, "indices", object);
    if (tensor == nullptr) return Source(op, index_array(op, object));
    const auto* const dtype = reinterpret_cast<PyArray_Descr*>(tensor->dtype.ptr());
    if (!PyTypeNum_ISINTEGER(dtype->type_num) || !PyArray_ISNBO(dtype->byteorder)) {
        throw Error(ErrorKind::kType, std::string(op) + ": indices is a DeviceTensor of dtype " +
                                          std::string(py::str(tensor->dtype)) +
                                          ", expected an integer one of native byte order");
    }
    return Source(*tensor);
}

// The device of a call: what device says, else the one that the operands lie on. All must agree.
DevicePtr device_of(const char* op, PyObject* device, const Signature& signature,
                    const Arguments& given) {
    DevicePtr found;
    if (device != nullptr && device != Py_None) {
        const std::string name = device_name(op, device);
        if (name != "cpu") found = device_named(op, name);
    }
    const bool is_named = device != nullptr && device != Py_None;
    for (int i = 0; i < signature.count; ++i) {
        const DeviceTensor* const tensor = as_device_tensor(op, signature.parameters[i], given[i]);
        if (tensor == nullptr) continue;
        if (!found && !is_named) found = tensor->memory->device();
        check_place(op, signature.parameters[i], *tensor, found);
    }
    return found;
}

// Where the result goes.
class Result {
  public:
    // shape is packed.
    Result(const char* op, PyObject* out, const Layout& shape, const py::object& dtype,
           bool as_tensor)
        : shape_(shape), dtype_(dtype), as_tensor_(as_tensor) {
        if (out == nullptr || out == Py_None) return;
        out_ = py::reinterpret_borrow<py::object>(out);
        auto* const expected = reinterpret_cast<PyArray_Descr*>(dtype.ptr());
        if (DeviceTensor* const tensor = as_device_tensor(op, "out", out)) {
            check_tensor(op, *tensor, expected);
            memory_ = tensor->memory;
        } else {
            array_ = out_array(op, out, shape, expected);
        }
    }

    bool is_fresh() const noexcept { return !out_; }
    // What is written on the device.
    const MemoryPtr& memory(const DevicePtr& device) {
        if (!memory_) {
            const std::int64_t bytes = element_count(shape_) * PyDataType_ELSIZE(descr());
            memory_ = std::make_shared<d3d12::Memory>(device, static_cast<std::uint64_t>(bytes));
        }
        return memory_;
    }
    bool is_out_tensor() const noexcept { return out_ && !array_; }

    // The call's result, after the plan was queued.
    PyObject* finish(const char* op) {
        if (is_out_tensor()) return out_.release().ptr();
        if (!out_ && as_tensor_) return new_device_tensor({memory_, shape_, dtype_});
        if (array_ && PyArray_IS_C_CONTIGUOUS(array_->get())) {
            download(*memory_, *array_);
            return out_.release().ptr();
        }
        Array packed = new_array(op, shape_, descr());
        download(*memory_, packed);
        if (!array_) return packed.release();
        copy_elements(*array_, packed);
        return out_.release().ptr();
    }

  private:
    PyArray_Descr* descr() const noexcept { return reinterpret_cast<PyArray_Descr*>(dtype_.ptr()); }

    void check_tensor(const char* op, const DeviceTensor& tensor, PyArray_Descr* expected) const {
        auto* const found = reinterpret_cast<PyArray_Descr*>(tensor.dtype.ptr());
        if (found != expected && !PyArray_EquivTypes(found, expected)) {
            throw Error(ErrorKind::kType,
                        std::string(op) + ": out has dtype " + std::string(py::str(tensor.dtype)) +
                            ", expected input's dtype " + std::string(py::str(dtype_)));
        }
        if (tensor.layout.rank != shape_.rank ||
            !std::equal(shape_.sizes, shape_.sizes + shape_.rank, tensor.layout.sizes)) {
            throw Error(ErrorKind::kValue, std::string(op) + ": out has shape " +
                                               shape_text(tensor.layout) + ", expected " +
                                               shape_text(shape_));
        }
    }

    Layout shape_;
    py::object dtype_;
    bool as_tensor_;
    py::object out_;
    std::optional<Array> array_;  // out, where that is an array
    MemoryPtr memory_;
};

}  // namespace

void check_reduction(const char* op, const py::object& dtype, const Arithmetic& arithmetic,
                     Reduction reduction) {
    if (reduction == Reduction::kNone || d3d12::has_reductions(arithmetic.value_type)) return;
    throw Error(ErrorKind::kDevice,
                std::string(op) + ": d3d12 has no reductions on dtype " +
                    std::string(py::str(dtype)) +
                    ", as shaders cannot do them bit for bit; use device=\"cpu\"");
}

PyObject* gather_on_device(const GatherOperator& kind, const Arguments& given) {
    const char* const op = kind.signature.name;
    const DevicePtr device = device_of(op, given[6], kind.signature, given);
    Source input = data_source(op, "input", given[0]);
    Source indices = index_source(op, given[1]);
    const std::int64_t number = integer_argument(op, kind.signature.parameters[2], given[2], 0);
    const Mode mode = mode_argument(op, given[3], Direction::kGather);
    const py::object fill = fill_argument(op, given[4], input.dtype());
    const int third = kind.has_axis
                          ? normalize_axis(op, "axis", number, input.layout().rank)
                          : static_cast<int>(std::clamp<std::int64_t>(number, -1, kMaxDims));
    Layout shape = kind.shape(op, input.layout(), indices.layout(), third);
    set_packed_strides(shape, input.element_bytes(), op);
    const bool as_tensor = is_device_tensor(given[0]) || is_device_tensor(given[1]);
    Result result(op, given[5], shape, input.dtype_object(), as_tensor);

    Plan plan;
    begin_plan(Direction::kGather, index_type(indices.dtype()), input.element_bytes(), plan);
    plan.mode = mode;
    plan.fill = fill_bytes(fill);
    kind.lower(input.layout(), indices.layout(), shape, third, plan);

    const MemoryPtr& table = input.memory(device);
    const MemoryPtr& places = indices.memory(device);
    const MemoryPtr& items = result.memory(device);
    input.keep_apart(device, items);
    indices.keep_apart(device, items);
    canonicalize(plan);
    queue_plan(op, device, plan, {table.get(), items.get(), places.get(), nullptr},
               result.is_fresh(), !kind.has_axis);
    return result.finish(op);
}

PyObject* scatter_on_device(const ScatterOperator& kind, const Arguments& given) {
    const char* const op = kind.signature.name;
    PyObject* const* const options = given.values + (kind.has_axis ? 4 : 3);
    const DevicePtr device = device_of(op, options[4], kind.signature, given);
    Source input = data_source(op, "input", given[0]);
    Source indices = index_source(op, given[1]);
    Source updates = data_source(op, "updates", given[2]);
    const std::int64_t number = kind.has_axis ? integer_argument(op, "axis", given[3], 0) : 0;
    const Reduction reduction = reduction_argument(op, options[0]);
    const Mode mode = mode_argument(op, options[1], Direction::kScatter);
    const bool unique = flag_argument(op, "unique_indices", options[2]);
    const int axis = kind.has_axis ? normalize_axis(op, "axis", number, input.layout().rank) : 0;
    const Layout shape = kind.updates_shape(op, input.layout(), indices.layout(), axis);
    check_updates(op, updates.dtype(), updates.layout(), shape, input.dtype());
    const Arithmetic with = reduction == Reduction::kNone
                                ? Arithmetic{ValueType::kUint8, nullptr}
                                : arithmetic(op, input.dtype(), reduction);
    check_reduction(op, input.dtype_object(), with, reduction);
    const bool as_tensor =
        is_device_tensor(given[0]) || is_device_tensor(given[1]) || is_device_tensor(given[2]);
    Result result(op, options[3], input.layout(), input.dtype_object(), as_tensor);

    Plan plan;
    begin_plan(Direction::kScatter, index_type(indices.dtype()), input.element_bytes(), plan);
    plan.mode = mode;
    plan.reduction = reduction;
    plan.value_type = with.value_type;
    plan.byte_table = with.byte_table;
    plan.unique_indices = unique;
    kind.lower(input.layout(), indices.layout(), updates.layout(), axis, plan);

    const MemoryPtr& source = input.memory(device);
    const MemoryPtr& places = indices.memory(device);
    const MemoryPtr& items = updates.memory(device);
    const MemoryPtr& table = result.memory(device);
    const bool in_place = table == source;
    indices.keep_apart(device, table);
    updates.keep_apart(device, table);
    if (!in_place) lower_copy(input.layout(), input.layout(), plan);
    canonicalize(plan);
    queue_plan(op, device, plan,
               {table.get(), items.get(), places.get(), in_place ? nullptr : source.get()},
               result.is_fresh(), !kind.has_axis);
    return result.finish(op);
}

}  // namespace dmlindex::binding
