#include "binding/call/dispatch.hpp"

#include <string>

#include "binding/text.hpp"
#include "error.hpp"

namespace dmlindex::binding {

void refuse_elsewhere(const char* op, const char* argument, PyObject* object) {
    if (!py::hasattr(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dask_graph__")) return;
    if (py::handle(object).attr("__dask_graph__")().is_none()) return;  // an xarray in memory, say
    throw Error(ErrorKind::kType, std::string(op) + ": " + argument + " is a Dask " +
                                      type_name(object) +
                                      ", which is not in memory; use the functions of "
                                      "dmlindex.dask, or pass what its compute() returns");
}

void refuse_elsewhere(const Operator& function, const Arguments& given) {
    for (const Parameter operand : {Parameter::kInput, Parameter::kIndices, Parameter::kUpdates}) {
        if (!is_at_hand(given[operand])) {
            refuse_elsewhere(function.name(), name_of(operand), given[operand]);
        }
    }
}

}  // namespace dmlindex::binding
