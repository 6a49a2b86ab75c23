// fill_value: what mode="fill" puts where an index is out of range.
#pragma once

#include "binding/arrays/array.hpp"

namespace dmlindex::binding {

class FillValue {
  public:
    // Converts what needs it; null means 0.
    FillValue(const char* op, PyObject* value) : value_(value) {
        if (value != nullptr) convert(op);
    }

    // The bytes of the value in a dtype; a null object where all of them are zero, which 0 is in
    // any dtype. Python's own numbers are weak; any other must be one that the dtype has.
    // Error(kValue) where it does not fit.
    py::object in(const char* op, PyArray_Descr* dtype) const {
        return is_zero_ ? py::object() : bytes_in(op, dtype);
    }

  private:
    void convert(const char* op);
    py::object bytes_in(const char* op, PyArray_Descr* dtype) const;

    PyObject* value_;
    bool is_zero_ = true;
    py::object array_;  // null where the value is weak
};

inline const std::byte* fill_bytes(const py::object& fill) noexcept {
    return fill ? reinterpret_cast<const std::byte*>(PyBytes_AS_STRING(fill.ptr())) : nullptr;
}

}  // namespace dmlindex::binding
