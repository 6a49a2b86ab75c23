#include "binding/python/text.hpp"

#include "binding/python/gil.hpp"

namespace dmlindex::binding {
namespace {

constexpr Py_ssize_t kLongest = 200;

// A lone surrogate becomes its escape.
std::string encoded(py::object text) {
    const bool is_long = PyUnicode_GET_LENGTH(text.ptr()) > kLongest;
    if (is_long) text = steal(PyUnicode_Substring(text.ptr(), 0, kLongest));
    const py::object bytes =
        steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
    return PyBytes_AS_STRING(bytes.ptr()) + std::string(is_long ? "..." : "");
}

}  // namespace

bool is_refusal(const py::error_already_set& error) {
    return error.matches(PyExc_Exception) && !error.matches(PyExc_MemoryError);
}

std::string shown(PyObject* object) {
    try {
        return encoded(steal(run_python([&] { return PyObject_Repr(object); })));
    } catch (py::error_already_set& error) {
        if (!is_refusal(error)) throw;
        return "a " + type_name(object) + " (which has no repr)";
    }
}

std::string text_of(py::handle object) {
    try {
        return encoded(steal(run_python([&] { return PyObject_Str(object.ptr()); })));
    } catch (py::error_already_set& error) {
        if (!is_refusal(error)) throw;
        return "a " + type_name(object.ptr());
    }
}

std::string text_of(const PyArray_Descr* dtype) {
    return text_of(py::handle(reinterpret_cast<PyObject*>(const_cast<PyArray_Descr*>(dtype))));
}

std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

}  // namespace dmlindex::binding
