#include "binding/call/dispatch.hpp"

#include "binding/arrays/elsewhere.hpp"
#include "binding/call/device_place.hpp"
#include "binding/python/gil.hpp"

namespace dmlindex::binding {

bool is_elsewhere(PyObject* object) {
    // To ask a type for what it lacks takes longer than a small call.
    if (is_at_hand(object) || is_device_tensor(object) || is_plain_value(object)) return false;
    return is_dask_collection(object);
}

PyObject* call_elsewhere(const char* op, PyObject* const* args, Py_ssize_t count,
                         PyObject* keyword_names) {
    const py::object function = py::module_::import("dmlindex.dask").attr(op);
    PyObject* const result = run_python([&] {
        return PyObject_Vectorcall(function.ptr(), args, static_cast<std::size_t>(count),
                                   keyword_names);
    });
    if (result == nullptr) throw py::error_already_set();
    return result;
}

}  // namespace dmlindex::binding
