#include "binding/python/signature.hpp"

#include <string>

#include "binding/python/errors.hpp"
#include "binding/python/text.hpp"

namespace dmlindex::binding {
namespace {

PyObject* interned_names[kParameterCount] = {};

[[noreturn]] void refuse(const Signature& signature, const std::string& what) {
    fail(ErrorKind::kType, signature.name(), what);
}

// What a parameter was called in earlier versions, which callers may still say.
const char* former_name(Parameter parameter) noexcept {
    return parameter == Parameter::kInputOrShape ? "input_shape" : name_of(parameter);
}

// Where a keyword stands in the signature; -1 if nowhere.
int place_of(const Signature& signature, PyObject* keyword) noexcept {
    for (int i = 0; i < signature.count(); ++i) {
        if (interned_name(signature[i]) == keyword) return i;
    }
    for (int i = 0; i < signature.count(); ++i) {  // one made at run time
        if (PyUnicode_CompareWithASCIIString(keyword, name_of(signature[i])) == 0 ||
            PyUnicode_CompareWithASCIIString(keyword, former_name(signature[i])) == 0) {
            return i;
        }
    }
    return -1;
}

}  // namespace

void parse_keywords(const Signature& signature, PyObject* const* args, Py_ssize_t count,
                    PyObject* keyword_names, Arguments& given) {
    if (count > signature.positional()) {
        refuse(signature, "takes " + std::to_string(signature.positional()) +
                              " positional arguments but " + std::to_string(count) + " were given");
    }
    for (int i = 0; i < count; ++i) given.at(signature[i]) = args[i];
    const Py_ssize_t keywords = keyword_names == nullptr ? 0 : PyTuple_GET_SIZE(keyword_names);
    for (Py_ssize_t k = 0; k < keywords; ++k) {
        PyObject* const keyword = PyTuple_GET_ITEM(keyword_names, k);
        const int i = place_of(signature, keyword);
        if (i < 0) refuse(signature, "got an unexpected keyword argument " + shown(keyword));
        PyObject*& value = given.at(signature[i]);
        if (value != nullptr) {
            refuse(signature, "got multiple values for argument " + shown(keyword));
        }
        value = args[count + k];
    }
    for (auto i = static_cast<int>(count); i < signature.required(); ++i) {
        if (given[signature[i]] == nullptr) {
            refuse(signature,
                   "missing required argument '" + std::string(name_of(signature[i])) + "'");
        }
    }
}

void intern_parameter_names() {
    for (int i = 0; i < kParameterCount; ++i) {
        interned_names[i] = PyUnicode_InternFromString(kParameterNames[i]);
        if (interned_names[i] == nullptr) throw py::error_already_set();
    }
}

PyObject* interned_name(Parameter parameter) noexcept {
    return interned_names[static_cast<int>(parameter)];
}

PyMethodDef method_of(const Signature& signature, void (*entry)(), const char* documentation) {
    const auto* const text =
        new std::string(std::string(signature.line()) + "\n--\n" + documentation);
    return {signature.name(), reinterpret_cast<PyCFunction>(entry), METH_FASTCALL | METH_KEYWORDS,
            text->c_str()};
}

}  // namespace dmlindex::binding
