// Parts of a DeviceTensor, which share its memory. In builds with D3D12 only.
#pragma once

#include "binding/device/device_tensor.hpp"

namespace dmlindex::binding {

extern const char* const kRowsDoc;
extern const char* const kPartDoc;

// tensor[a:b]
py::object rows_of(py::object self, const py::object& rows);
// tensor.at(byte_offset, shape, dtype=None)
py::object part_at(py::object self, const py::object& byte_offset, const py::object& shape,
                   const py::object& dtype);

}  // namespace dmlindex::binding
