#include "binding/python/options.hpp"

#include <span>
#include <string>

#include "binding/python/errors.hpp"
#include "binding/python/gil.hpp"
#include "binding/python/text.hpp"

namespace dmlindex::binding {
namespace {

// Where text stands in choices; fails with a message that lists them, and ends with hint(text).
template <class Hint>
int choice(const char* op, const char* name, PyObject* value, std::span<const char* const> choices,
           Hint&& hint) {
    if (PyUnicode_Check(value)) {
        for (std::size_t i = 0; i < choices.size(); ++i) {
            if (PyUnicode_CompareWithASCIIString(value, choices[i]) == 0)
                return static_cast<int>(i);
        }
    }
    std::string expected;  // only a failure pays for its message
    for (std::size_t i = 0; i < choices.size(); ++i) {
        expected += (i == 0                    ? "\""
                     : i + 1 == choices.size() ? " or \""
                                               : ", \"") +
                    std::string(choices[i]) + "\"";
    }
    const bool is_text = PyUnicode_Check(value);
    fail(is_text ? ErrorKind::kValue : ErrorKind::kType, op,
         std::string(name) + " is " + shown(value) + ", expected " + expected +
             (is_text ? hint(value) : std::string()));
}

// The last one is for compiled descriptors alone.
constexpr const char* kGatherModes[] = {"raise", "clamp", "wrap", "fill", "directml"};
constexpr const char* kScatterModes[] = {"raise", "clamp", "wrap", "drop", "directml"};
std::span<const char* const> modes(Direction direction) {
    return direction == Direction::kGather ? kGatherModes : kScatterModes;
}

constexpr const char* kReductions[] = {"none", "add", "mul", "min", "max"};

// What the mode or reduction of another library's name is called here.
std::string hint_of(PyObject* value) {
    static constexpr const char* kOthers[][2] = {
        {"clip", "clamp"}, {"sum", "add"},     {"prod", "mul"}, {"multiply", "mul"},
        {"amin", "min"},   {"minimum", "min"}, {"amax", "max"}, {"maximum", "max"},
    };
    if (PyUnicode_CompareWithASCIIString(value, "directml") == 0) {
        return "; compiled descriptors have it: see dmlindex.Device.compile";
    }
    for (const auto& [theirs, ours] : kOthers) {
        if (PyUnicode_CompareWithASCIIString(value, theirs) == 0) {
            return "; did you mean \"" + std::string(ours) + "\"?";
        }
    }
    return {};
}

}  // namespace

std::int64_t read_integer(const char* op, const char* name, PyObject* value) {
    if (!PyIndex_Check(value)) {
        fail(ErrorKind::kType, op,
             std::string(name) + " is " + shown(value) + ", expected an integer");
    }
    py::object made;
    if (!PyLong_CheckExact(value)) {
        made = steal(run_python([&] { return PyNumber_Index(value); }));
        value = made.ptr();
    }
    int overflow = 0;
    const long long result = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0) {
        fail(ErrorKind::kValue, op,
             std::string(name) + " is too large, expected an integer of 64 bits");
    }
    if (result == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return result;
}

bool read_flag(const char* op, const char* name, PyObject* value) {
    if (value == Py_False) return false;
    if (value == Py_True) return true;
    if (PyArray_IsScalar(value, Bool)) return PyObject_IsTrue(value) == 1;
    fail(ErrorKind::kType, op,
         std::string(name) + " is " + shown(value) + ", expected True or False");
}

Mode read_mode(const char* op, PyObject* value, Direction direction) {
    return static_cast<Mode>(choice(op, "mode", value, modes(direction).first(4), hint_of));
}

Mode compile_mode_argument(const char* op, PyObject* value, Direction direction) {
    return static_cast<Mode>(choice(op, "mode", value, modes(direction), hint_of));
}

const char* mode_name(Mode mode, Direction direction) {
    return modes(direction)[static_cast<std::size_t>(mode)];
}

Reduction read_reduction(const char* op, PyObject* value) {
    return static_cast<Reduction>(choice(op, "reduction", value, kReductions, hint_of));
}

}  // namespace dmlindex::binding
