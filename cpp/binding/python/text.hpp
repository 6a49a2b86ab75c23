// Python objects in messages: their repr may fail, be endless, or hold what UTF-8 has no bytes for.
#pragma once

#include <string>

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

// The repr, cut where it is long; the type's name where there is none. An exception that is no
// Exception, such as KeyboardInterrupt, goes through, and so does MemoryError.
std::string shown(PyObject* object);

// str(object), of something that has one.
std::string text_of(py::handle object);
std::string text_of(const PyArray_Descr* dtype);

std::string type_name(PyObject* object);

// Whether an exception says something about the object that raised it. The others, such as
// KeyboardInterrupt and MemoryError, are nobody's to take back.
bool is_refusal(const py::error_already_set& error);

}  // namespace dmlindex::binding
