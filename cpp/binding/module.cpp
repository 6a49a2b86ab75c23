#define DMLINDEX_IMPORTS_NUMPY
#include "binding/arrays/buffer_cache.hpp"
#include "binding/call/device_place.hpp"
#include "binding/call/functions.hpp"
#include "binding/descriptors/compiled_operator.hpp"
#include "binding/descriptors/descs.hpp"
#include "binding/device/devices.hpp"
#ifdef DMLINDEX_HAS_D3D12
#include "binding/device/device_profile.hpp"
#include "binding/device/device_tools.hpp"
#endif
#include "binding/python/errors.hpp"
#include "binding/python/numpy.hpp"

// Not mod_gil_not_used(): without the GIL DeviceTensor.release() would have to lock what other
// threads read, and of the tests only those of threads have run so. Importing this turns it on.
PYBIND11_MODULE(_core_unchecked, module) {
    if (!dmlindex::binding::is_main_interpreter()) throw pybind11::error_already_set();
    if (_import_array() < 0) throw pybind11::error_already_set();
    module.doc() = "The C++ core of dmlindex; use the package's own names.";
    module.attr("__version__") = DMLINDEX_VERSION;
    dmlindex::binding::intern_parameter_names();
    dmlindex::binding::add_errors(module);
    dmlindex::binding::add_buffer_cache(module);
    dmlindex::binding::add_devices(module);
#ifdef DMLINDEX_HAS_D3D12
    dmlindex::binding::add_device_tensors(module);
    dmlindex::binding::add_device_tools(module);
    dmlindex::binding::add_device_profiles(module);
#endif
    dmlindex::binding::add_functions(module);
    dmlindex::binding::add_descs(module);
    dmlindex::binding::add_compiled_operator(module);
}

// In any other interpreter pybind11 waits for ever for the GIL: that is to be known before.
extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
    return dmlindex::binding::is_main_interpreter() ? PyInit__core_unchecked() : nullptr;
}
