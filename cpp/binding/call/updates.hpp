// A scatter's updates: arrays have input's dtype and the shape of what is indexed; a single value
// goes to every place, and Python's own numbers take the dtype.
#pragma once

#include "binding/arrays/array.hpp"

namespace dmlindex::binding {

class Updates {
  public:
    // Converts what needs it.
    void convert(const char* op, PyObject* object);

    // Looks at the updates, which are to have the dtype and the shape. Error(kType) for another
    // dtype, Error(kValue) for another shape or a value that the dtype does not have.
    void look_at(const char* op, PyArray_Descr* dtype, const Layout& shape, Tensor& tensor);

  private:
    PyObject* object_ = nullptr;
    Layout weak_shape_;
    bool is_weak_ = false;
    py::object array_;  // null where the updates are weak or lie on a device
};

}  // namespace dmlindex::binding
