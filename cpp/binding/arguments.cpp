#include "binding/arguments.hpp"

#include <cstring>
#include <string>

#include "error.hpp"

namespace dmlindex::binding {
namespace {

[[noreturn]] void fail(ErrorKind kind, const char* op, const std::string& what) {
    throw Error(kind, std::string(op) + ": " + what);
}

std::string repr(PyObject* value) { return py::repr(py::handle(value)); }

// Where text stands in choices; fails with a message that lists them.
template <std::size_t kCount>
int choice(const char* op, const char* name, PyObject* value,
           const char* const (&choices)[kCount]) {
    if (PyUnicode_Check(value)) {
        for (std::size_t i = 0; i < kCount; ++i) {
            if (PyUnicode_CompareWithASCIIString(value, choices[i]) == 0)
                return static_cast<int>(i);
        }
    }
    std::string expected;  // only a failure pays for its message
    for (std::size_t i = 0; i < kCount; ++i) {
        expected += (i == 0            ? "\""
                     : i + 1 == kCount ? " or \""
                                       : ", \"") +
                    std::string(choices[i]) + "\"";
    }
    fail(PyUnicode_Check(value) ? ErrorKind::kValue : ErrorKind::kType, op,
         std::string(name) + " is " + repr(value) + ", expected " + expected);
}

constexpr const char* kGatherModes[] = {"raise", "clamp", "wrap", "fill"};
constexpr const char* kScatterModes[] = {"raise", "clamp", "wrap", "drop"};
constexpr const char* kReductions[] = {"none", "add", "mul", "min", "max"};

}  // namespace

Arguments parse_arguments(const Signature& signature, PyObject* const* args, Py_ssize_t count,
                          PyObject* keyword_names) {
    if (count > signature.positional) {
        fail(ErrorKind::kType, signature.name,
             "takes " + std::to_string(signature.positional) + " positional arguments but " +
                 std::to_string(count) + " were given");
    }
    Arguments arguments;
    for (Py_ssize_t i = 0; i < count; ++i) arguments.values[i] = args[i];
    const Py_ssize_t keywords = keyword_names == nullptr ? 0 : PyTuple_GET_SIZE(keyword_names);
    for (Py_ssize_t k = 0; k < keywords; ++k) {
        PyObject* keyword = PyTuple_GET_ITEM(keyword_names, k);
        // Keywords are almost always compact ASCII, whose text lies ready.
        const char* const text = PyUnicode_IS_COMPACT_ASCII(keyword)
                                     ? static_cast<const char*>(PyUnicode_DATA(keyword))
                                     : "";
        const auto names = [&](const char* parameter) {  // most differ in the first letter
            return *text == *parameter && std::strcmp(text, parameter) == 0;
        };
        int i = 0;
        while (i < signature.count && !names(signature.parameters[i])) ++i;
        if (i == signature.count) {
            fail(ErrorKind::kType, signature.name,
                 "got an unexpected keyword argument " + repr(keyword));
        }
        if (arguments.values[i] != nullptr) {
            fail(ErrorKind::kType, signature.name,
                 "got multiple values for argument " + repr(keyword));
        }
        arguments.values[i] = args[count + k];
    }
    for (int i = 0; i < signature.required; ++i) {
        if (arguments.values[i] == nullptr) {
            fail(ErrorKind::kType, signature.name,
                 "missing required argument '" + std::string(signature.parameters[i]) + "'");
        }
    }
    return arguments;
}

std::int64_t integer_argument(const char* op, const char* name, PyObject* value,
                              std::int64_t otherwise) {
    if (value == nullptr) return otherwise;
    if (!PyIndex_Check(value)) {
        fail(ErrorKind::kType, op,
             std::string(name) + " is " + repr(value) + ", expected an integer");
    }
    const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(value));
    if (!number) throw py::error_already_set();
    int overflow = 0;
    const long long result = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) {
        fail(ErrorKind::kValue, op,
             std::string(name) + " is too large, expected an integer of 64 bits");
    }
    if (result == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return result;
}

bool flag_argument(const char* op, const char* name, PyObject* value) {
    if (value == nullptr || value == Py_False) return false;
    if (value == Py_True) return true;
    if (PyArray_IsScalar(value, Bool)) return PyObject_IsTrue(value) == 1;
    fail(ErrorKind::kType, op,
         std::string(name) + " is " + repr(value) + ", expected True or False");
}

Mode mode_argument(const char* op, PyObject* value, Direction direction) {
    if (value == nullptr) return Mode::kRaise;
    const auto& choices = direction == Direction::kGather ? kGatherModes : kScatterModes;
    return static_cast<Mode>(choice(op, "mode", value, choices));
}

Reduction reduction_argument(const char* op, PyObject* value) {
    if (value == nullptr) return Reduction::kNone;
    return static_cast<Reduction>(choice(op, "reduction", value, kReductions));
}

py::object fill_argument(const char* op, PyObject* value, PyArray_Descr* dtype) {
    if (value == nullptr || (PyLong_CheckExact(value) && PyObject_IsTrue(value) == 0)) return {};
    // Which values a dtype holds exactly is Python's and NumPy's matter; the reference knows it.
    return py::module_::import("dmlindex._reference_checks")
        .attr("fill")(op, py::handle(value), py::handle(reinterpret_cast<PyObject*>(dtype)))
        .attr("tobytes")();
}

}  // namespace dmlindex::binding
