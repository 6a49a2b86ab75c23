// The executor on a D3D12 device.
#pragma once

#include "binding/call/device_place.hpp"

#ifdef DMLINDEX_HAS_D3D12

namespace dmlindex::binding {

// The result is a DeviceTensor where the call says so, else an array; out, if given.
PyObject* run_on_device(Invocation& call);

}  // namespace dmlindex::binding

#endif
