#include "binding/arrays/elsewhere.hpp"

#include <string>

#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {

bool is_dask_collection(PyObject* object) {
    if (!py::hasattr(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dask_graph__")) return false;
    return !py::handle(object).attr("__dask_graph__")().is_none();  // an xarray in memory has none
}

void refuse_elsewhere(const char* op, const char* argument, PyObject* object) {
    if (!is_dask_collection(object)) return;
    throw Error(ErrorKind::kType, std::string(op) + ": " + argument + " is a Dask " +
                                      type_name(object) +
                                      ", which is not in memory; use the functions of "
                                      "dmlindex.dask, or pass what its compute() returns");
}

}  // namespace dmlindex::binding
