// Python's own numbers, and lists of them. They have no dtype of their own and take that of what
// they are used with: a bool goes into any numeric dtype, an int into integers in range and, as
// float() rounds it, into floats, a float into floats, rounded but not to infinity, and into
// integers if it is whole. A bool dtype takes bools only. Only objects of exactly these types are
// weak; no code of anybody runs for them.
#pragma once

#include <string>

#include "binding/arrays/array.hpp"

namespace dmlindex::binding {

// Whether an object is weak, and its shape: of rank 0 for a number. False also for lists that are
// of no shape, or nested too deep.
bool weak_shape(PyObject* object, Layout& shape);

// Whether weak values go into a dtype at all: bool, integers, floats and complex numbers.
bool takes_weak(const PyArray_Descr* dtype);

// The values in the dtype, which takes them. Error(kValue) where one does not fit, but Error(kType)
// for a number that a bool dtype is to take.
Array weak_array(const char* op, const char* argument, PyObject* object, const Layout& shape,
                 PyArray_Descr* dtype);

}  // namespace dmlindex::binding
