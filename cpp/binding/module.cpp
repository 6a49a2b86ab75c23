#define DMLINDEX_IMPORTS_NUMPY
#include "binding/buffer_cache.hpp"
#include "binding/call/device_place.hpp"
#include "binding/call/functions.hpp"
#include "binding/compiled_operator.hpp"
#include "binding/descs.hpp"
#include "binding/devices.hpp"
#include "binding/errors.hpp"
#include "binding/numpy.hpp"

PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
    if (_import_array() < 0) throw pybind11::error_already_set();
    module.doc() = "The C++ core of dmlindex; use the package's own names.";
    module.attr("__version__") = DMLINDEX_VERSION;
    dmlindex::binding::intern_parameter_names();
    dmlindex::binding::add_errors(module);
    dmlindex::binding::add_buffer_cache(module);
    dmlindex::binding::add_devices(module);
#ifdef DMLINDEX_HAS_D3D12
    dmlindex::binding::add_device_tensors(module);
#endif
    dmlindex::binding::add_functions(module);
    dmlindex::binding::add_descs(module);
    dmlindex::binding::add_compiled_operator(module);
}
