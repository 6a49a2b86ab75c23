#include "binding/call/device_place.hpp"

#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {
namespace {

constexpr Parameter kOperands[] = {Parameter::kInput, Parameter::kIndices, Parameter::kUpdates,
                                   Parameter::kOut};

void check_place(const char* op, const char* argument, const DeviceTensor& tensor,
                 const DevicePtr& device) {
    const DevicePtr& place = tensor.memory->device();
    if (place == device) return;
    const std::string text = std::string(op) + ": " + argument + " is a DeviceTensor on ";
    if (place->is_lost() || (device && device->is_lost())) {
        throw Error(ErrorKind::kDevice,
                    text + "another device than the call's, and " +
                        (place->is_lost() ? "its own" : "the call's") +
                        " was removed; open a new Device, and upload the tensors again");
    }
    throw Error(ErrorKind::kValue, text + name_of(*place) + ", but the call runs on " +
                                       place_name(device) + "; pass what its numpy() returns");
}

}  // namespace

void check_places(const char* op, const DevicePtr& device, const Arguments& given) {
    for (const Parameter operand : kOperands) {
        const DeviceTensor* const tensor = as_device_tensor(op, name_of(operand), given[operand]);
        if (tensor != nullptr) check_place(op, name_of(operand), *tensor, device);
    }
}

DevicePtr find_device_of_call(const char* op, const Arguments& given) {
    DevicePtr found;
    if (given.has(Parameter::kDevice)) {
        const std::string name = device_name(op, given[Parameter::kDevice]);
        if (name.starts_with("d3d12")) {
            found = device_named(op, name);
        } else {
            check_device(op, given[Parameter::kDevice]);  // refuses all but "cpu"
        }
    } else {
        for (const Parameter operand : kOperands) {
            const DeviceTensor* const tensor =
                as_device_tensor(op, name_of(operand), given[operand]);
            if (tensor == nullptr) continue;
            found = tensor->memory->device();
            break;
        }
    }
    check_places(op, found, given);
    return found;
}

void look_at_tensor(const char* op, const char* argument, PyObject* object, Tensor& tensor) {
    const DeviceTensor* const found = as_device_tensor(op, argument, object);
    tensor.owner = py::reinterpret_borrow<py::object>(object);
    tensor.dtype = found->dtype;
    tensor.memory = found->memory;
    tensor.layout = found->layout;
}

void look_at_index_tensor(const char* op, PyObject* object, Tensor& tensor) {
    look_at_tensor(op, "indices", object, tensor);
    const PyArray_Descr* const dtype = tensor.descr();
    if (!PyTypeNum_ISINTEGER(dtype->type_num) || !PyArray_ISNBO(dtype->byteorder)) {
        throw Error(ErrorKind::kType, std::string(op) + ": indices is a DeviceTensor of dtype " +
                                          text_of(tensor.dtype) +
                                          ", expected an integer one of native byte order");
    }
}

void check_reduction_on_device(const char* op, const Invocation& call) {
    if (call.reduction == Reduction::kNone || d3d12::has_reductions(call.arithmetic.value_type)) {
        return;
    }
    throw Error(ErrorKind::kDevice,
                std::string(op) + ": d3d12 has no reductions on dtype " +
                    text_of(call.input.dtype) +
                    ", as shaders cannot do them bit for bit; use device=\"cpu\"");
}

DevicePtr device_or_cpu(const char* op, const std::string& name) {
    return name == "cpu" ? nullptr : device_named(op, name);
}

std::string place_name(const DevicePtr& device) { return device ? name_of(*device) : "cpu"; }

}  // namespace dmlindex::binding
