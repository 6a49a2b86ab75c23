#include "binding/python/errors.hpp"

#include <new>
#include <stdexcept>
#include <string>

namespace dmlindex::binding {
namespace {

constexpr const char* kNoMemory =
    "dmlindex: there is not enough memory for what the call keeps beside its arrays";

PyObject* descriptor_error = nullptr;  // set once, at import
PyObject* device_error = nullptr;

PyObject* exception_type(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::kType:
            return PyExc_TypeError;
        case ErrorKind::kValue:
            return PyExc_ValueError;
        case ErrorKind::kIndex:
            return PyExc_IndexError;
        case ErrorKind::kMemory:
            return PyExc_MemoryError;
        case ErrorKind::kDescriptor:
            return descriptor_error;
        case ErrorKind::kDevice:
            return device_error;
    }
    return PyExc_RuntimeError;
}

PyObject* new_exception(py::module_& module, const char* name, const char* doc, PyObject* base) {
    PyObject* type =
        PyErr_NewExceptionWithDoc(("dmlindex." + std::string(name)).c_str(), doc, base, nullptr);
    if (type == nullptr) throw py::error_already_set();
    module.add_object(name, type);
    return type;
}

// "[3, 1]": the flat position in the shape of the indices, and in their last dim where that is the
// tuple.
std::string position_text(const Indexing& indexing, const BadIndex& bad, bool tuple_dim) {
    std::string text = tuple_dim ? std::to_string(bad.coordinate) : std::string();
    std::int64_t rest = bad.position;
    for (auto size = indexing.sizes.rbegin(); size != indexing.sizes.rend(); ++size) {
        text = std::to_string(rest % *size) + (text.empty() ? "" : ", ") + text;
        rest /= *size;
    }
    return "[" + (text.empty() ? "()" : text) + "]";
}

}  // namespace

void add_errors(py::module_& module) {
    descriptor_error =
        new_exception(module, "DescriptorError",
                      "A descriptor breaks DirectML's rules; the message says which and where.",
                      PyExc_ValueError);
    // Whoever knows the broken rules sets them on the instance.
    py::setattr(descriptor_error, "violations", py::tuple());
    device_error = new_exception(module, "DeviceError",
                                 "A device is missing, lost, or cannot do what was asked of it.",
                                 PyExc_RuntimeError);
    // For what goes through pybind11; the raw entry points are guarded.
    py::register_local_exception_translator([](std::exception_ptr exception) {
        try {
            if (exception) std::rethrow_exception(exception);
        } catch (const Error&) {
            set_python_error();
        } catch (const std::bad_alloc&) {
            set_python_error();
        } catch (const std::length_error&) {
            set_python_error();
        }
    });
}

bool is_main_interpreter() noexcept {
    if (PyInterpreterState_Get() == PyInterpreterState_Main()) return true;
    PyErr_SetString(PyExc_ImportError,
                    "dmlindex cannot be imported in a subinterpreter, only in the main one; use "
                    "threads, or processes");
    return false;
}

void set_python_error() noexcept {
    try {
        throw;
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (const Error& error) {
        PyErr_SetString(exception_type(error.kind()), error.what());
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError, kNoMemory);
    } catch (const std::length_error&) {  // more than a container can ever hold
        PyErr_SetString(PyExc_MemoryError, kNoMemory);
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
}

void fail(ErrorKind kind, const char* op, const std::string& what) {
    throw Error(kind, std::string(op) + ": " + what);
}

Indexing::Indexing(const Plan& plan)
    : direction(plan.direction),
      index_type(plan.index_type),
      coordinates(plan.coordinates, plan.coordinates + plan.coordinate_count) {
    for (int d = 0; d < plan.index_rank; ++d) sizes.push_back(plan.index_dims[d].size);
}

std::string index_error_message(const char* op, const Indexing& indexing, const BadIndex& bad,
                                bool tuple_dim) {
    const std::string operation(op);
    if (bad.position < 0) {
        return operation +
               ": an index was out of range, but indices changed while the call ran, so it cannot "
               "be named; don't write to indices during a call";
    }
    const Coordinate& coordinate = indexing.coordinates[static_cast<std::size_t>(bad.coordinate)];
    const std::string size = std::to_string(coordinate.limit);
    const bool has_sign = is_signed(indexing.index_type);
    const std::string skip = indexing.direction == Direction::kGather ? "\"fill\"" : "\"drop\"";
    std::string message = operation + ": indices" + position_text(indexing, bad, tuple_dim) +
                          " = " +
                          (has_sign ? std::to_string(static_cast<std::int64_t>(bad.bits))
                                    : std::to_string(bad.bits)) +
                          " is out of range for axis " + std::to_string(coordinate.axis) +
                          " of input, which has size " + size;
    if (coordinate.limit == 0) {
        message += " and so no place for any index; pass mode=" + skip + " to allow it";
    } else {
        message += " (expected " + (has_sign ? "-" + size : std::string("0")) + " <= index < " +
                   size + "); pass mode=\"clamp\", \"wrap\" or " + skip + " to allow it";
    }
    return message;
}

void throw_index_error(const char* op, const Plan& plan, const BadIndex& bad, bool tuple_dim) {
    throw Error(ErrorKind::kIndex, index_error_message(op, Indexing(plan), bad, tuple_dim));
}

}  // namespace dmlindex::binding
