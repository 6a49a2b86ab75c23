#include "binding/call/updates.hpp"

#include <algorithm>
#include <string>

#include "binding/arrays/convert.hpp"
#include "binding/arrays/dtypes.hpp"
#include "binding/arrays/weak.hpp"
#include "binding/call/device_place.hpp"
#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"
#include "operators/shape_rules.hpp"

namespace dmlindex::binding {
namespace {

// How to make updates of the dtype without losing what they hold, where that can be done.
std::string advice(PyObject* object, PyArray_Descr* from, PyArray_Descr* to) {
    const std::string array = PyArray_Check(object) ? "updates" : "numpy.asarray(updates)";
    const std::string astype =
        ".astype(" + (PyDataType_HASFIELDS(to) ? "input.dtype" : "\"" + text_of(to) + "\"") + ")";
    if (PyArray_CanCastTypeTo(from, to, NPY_SAME_KIND_CASTING)) {
        return "; convert them, e.g. with " + array + astype;
    }
    if (PyTypeNum_ISFLOAT(from->type_num) && PyTypeNum_ISINTEGER(to->type_num)) {
        return "; if they are to be rounded, pass numpy.rint(updates)" + astype;
    }
    if (PyTypeNum_ISINTEGER(from->type_num) && PyTypeNum_ISINTEGER(to->type_num)) {
        return "; if all of them are in its range, convert them, e.g. with " + array + astype;
    }
    return {};
}

}  // namespace

void Updates::convert(const char* op, PyObject* object) {
    object_ = object;
    is_weak_ = !PyArray_CheckExact(object) && binding::weak_shape(object, weak_shape_);
    if (!is_weak_ && !is_device_tensor(object)) {
        array_ = plain_array(op, "updates", object).take();
    }
}

void Updates::look_at(const char* op, PyArray_Descr* dtype, const Layout& shape, Tensor& tensor) {
    if (is_weak_ && takes_weak(dtype)) {
        tensor.look_at(weak_array(op, "updates", object_, weak_shape_, dtype));
    } else if (is_device_tensor(object_)) {
        look_at_tensor(op, "updates", object_, tensor);
    } else {
        if (is_weak_) array_ = plain_array(op, "updates", object_).take();
        look_at_data(op, "updates", Array(std::move(array_)), tensor);
    }
    if (!is_same_dtype(tensor.descr(), dtype)) {
        throw Error(ErrorKind::kType, std::string(op) + ": updates has dtype " +
                                          text_of(tensor.dtype) + ", expected input's dtype " +
                                          text_of(dtype) + advice(object_, tensor.descr(), dtype));
    }
    if (tensor.layout.rank == 0) {  // one value for all
        tensor.layout = shape;
        std::fill_n(tensor.layout.strides, shape.rank, 0);
    }
    if (tensor.layout.rank != shape.rank ||
        !std::equal(shape.sizes, shape.sizes + shape.rank, tensor.layout.sizes)) {
        throw Error(ErrorKind::kValue, std::string(op) + ": updates has shape " +
                                           to_string(tensor.layout) + ", expected " +
                                           to_string(shape) +
                                           ", the shape of what indices index, or a single value");
    }
}

}  // namespace dmlindex::binding
