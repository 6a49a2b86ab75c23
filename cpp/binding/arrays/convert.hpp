// Arguments as arrays. Converting may run anybody's code, so all arguments of a call are converted
// before the first of them is looked at.
#pragma once

#include "binding/arrays/array.hpp"

namespace dmlindex::binding {

// A plain numpy.ndarray: the object itself, a view of a subclass's memory, or what NumPy, DLPack or
// __array__ make of it. Error(kType) where values would be lost on the way: those that a masked
// array hides, or that a table has none of; and for what is not in memory yet.
Array plain_array(const char* op, const char* argument, PyObject* object);

// Looks at an input or updates. Error(kType) for a dtype that holds Python objects.
[[noreturn]] void refuse_objects(const char* op, const char* argument, const Tensor& tensor);
inline void look_at_data(const char* op, const char* argument, Array&& array, Tensor& tensor) {
    tensor.look_at(std::move(array));
    if (PyDataType_REFCHK(tensor.descr())) refuse_objects(op, argument, tensor);
}

// Looks at indices that plain_array made of the object: of any integer dtype, and then in native
// byte order; an empty list counts as int64. tuples: the last dim of indices holds coordinates,
// which a message's advice depends on.
void look_at_other_indices(const char* op, PyObject* object, Array&& array, bool tuples,
                           Tensor& tensor);
inline void look_at_indices(const char* op, PyObject* object, Array&& array, bool tuples,
                            Tensor& tensor) {
    if (PyTypeNum_ISINTEGER(array.dtype()->type_num) && PyArray_ISNBO(array.dtype()->byteorder)) {
        return tensor.look_at(std::move(array));
    }
    look_at_other_indices(op, object, std::move(array), tuples, tensor);
}
// Whether indices are one Python int of 64 bits, which needs no array.
inline bool is_plain_index(PyObject* object, std::int64_t& number) noexcept {
    if (!PyLong_CheckExact(object)) return false;
    int overflow = 0;
    number = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow == 0;
}
IndexType index_type(const Tensor& indices) noexcept;

// Error(kType) for a masked array; object may be anything.
void refuse_masked(const char* op, const char* argument, PyObject* object);

}  // namespace dmlindex::binding
