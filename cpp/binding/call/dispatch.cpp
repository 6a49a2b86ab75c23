#include "binding/call/dispatch.hpp"

#include <string>

#include "binding/call/device_place.hpp"
#include "binding/python/gil.hpp"
#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {

bool is_elsewhere(PyObject* object) {
    // To ask a type for what it lacks takes longer than a small call.
    if (is_at_hand(object) || is_device_tensor(object) || is_plain_value(object)) return false;
    if (!py::hasattr(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dask_graph__")) return false;
    return !py::handle(object).attr("__dask_graph__")().is_none();  // an xarray in memory has none
}

void refuse_elsewhere(const char* op, const char* argument, PyObject* object) {
    if (!is_elsewhere(object)) return;
    throw Error(ErrorKind::kType, std::string(op) + ": " + argument + " is a Dask " +
                                      type_name(object) +
                                      ", which is not in memory; use the functions of "
                                      "dmlindex.dask, or pass what its compute() returns");
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
