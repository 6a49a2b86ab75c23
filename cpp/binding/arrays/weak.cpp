#include "binding/arrays/weak.hpp"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include "binding/arrays/dtypes.hpp"
#include "binding/arrays/quiet.hpp"
#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {
namespace {

bool is_weak_number(PyObject* object) noexcept {
    return PyBool_Check(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
           PyComplex_CheckExact(object);
}

bool has_shape(PyObject* object, const Layout& shape, int depth) noexcept {
    if (depth == shape.rank) return is_weak_number(object);
    if (!PyList_CheckExact(object) || PyList_GET_SIZE(object) != shape.sizes[depth]) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) {
        if (!has_shape(PyList_GET_ITEM(object, i), shape, depth + 1)) return false;
    }
    return true;
}

// Writes weak values in a dtype of NumPy's own and native byte order, from which another is cast.
class Writer {
  public:
    Writer(const char* op, const char* argument, bool is_list, PyArray_Descr* dtype)
        : op_(op), argument_(argument), is_list_(is_list), dtype_(dtype), ml_(ml_type(dtype)) {
        type_ = dtype->type_num;
        if (type_ == NPY_HALF || ml_ == MlType::kFloat) type_ = NPY_DOUBLE;
        if (ml_ == MlType::kInteger) type_ = NPY_INT64;
    }

    int type() const noexcept { return type_; }

    // The values of a list, in C order.
    void write(PyObject* object, std::byte*& to, std::int64_t element_bytes) {
        if (!PyList_CheckExact(object)) {
            write_number(object, to);
            to += element_bytes;
            return;
        }
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) {
            write(PyList_GET_ITEM(object, i), to, element_bytes);
        }
    }

    [[noreturn]] void fail(PyObject* value, const char* what,
                           ErrorKind kind = ErrorKind::kValue) const {
        throw Error(kind, std::string(op_) + ": " + argument_ + (is_list_ ? " holds " : " is ") +
                              shown(value) + ", " + what + " dtype " + text_of(dtype_));
    }

  private:
    void write_number(PyObject* value, std::byte* to) const {
        if (type_ == NPY_BOOL) {
            if (!PyBool_Check(value)) fail(value, "expected bools for", ErrorKind::kType);
            store(to, static_cast<npy_bool>(value == Py_True));
        } else if (PyTypeNum_ISINTEGER(type_)) {
            write_integer(value, to);
        } else {
            write_float(value, to);
        }
    }

    template <class T>
    static void store(std::byte* to, T value) noexcept {
        std::memcpy(to, &value, sizeof value);
    }

    void write_integer(PyObject* value, std::byte* to) const {
        py::object number = py::reinterpret_borrow<py::object>(value);
        if (PyComplex_CheckExact(value)) number = py::float_(real_part(value));
        if (PyFloat_CheckExact(number.ptr())) {
            const double real = PyFloat_AS_DOUBLE(number.ptr());
            if (!std::isfinite(real) || std::trunc(real) != real) {
                fail(value, "expected whole numbers for");
            }
            number = steal(PyLong_FromDouble(real));
        }
        int overflow = 0;
        const long long low = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
        if (PyTypeNum_ISUNSIGNED(type_) && overflow > 0) {
            const unsigned long long high = PyLong_AsUnsignedLongLong(number.ptr());
            if (high == ~0ULL && PyErr_Occurred() != nullptr) {
                const py::error_already_set taken;  // an OverflowError
                fail(value, "which is out of range for");
            }
            if (PyDataType_ELSIZE(dtype_) < 8) fail(value, "which is out of range for");
            return store(to, high);
        }
        if (overflow != 0 || !is_in_range(low)) fail(value, "which is out of range for");
        switch (type_ == dtype_->type_num ? PyDataType_ELSIZE(dtype_) : 8) {
            case 1:
                return store(to, static_cast<std::int8_t>(low));
            case 2:
                return store(to, static_cast<std::int16_t>(low));
            case 4:
                return store(to, static_cast<std::int32_t>(low));
            default:
                return store(to, static_cast<std::int64_t>(low));
        }
    }

    bool is_in_range(long long value) const {
        bool has_sign = PyTypeNum_ISSIGNED(type_);
        int bits = 8 * static_cast<int>(PyDataType_ELSIZE(dtype_));
        if (ml_ == MlType::kInteger) {  // int4, uint2, …
            const std::string name = text_of(dtype_);
            has_sign = name[0] != 'u';
            bits = std::stoi(name.substr(name.find('t') + 1));
        }
        if (!has_sign) return value >= 0 && (bits >= 63 || value >> bits == 0);
        return bits == 64 || (value >= -(1LL << (bits - 1)) && value < 1LL << (bits - 1));
    }

    void write_float(PyObject* value, std::byte* to) const {
        const bool is_complex = PyTypeNum_ISCOMPLEX(type_);
        const double imaginary =
            is_complex && PyComplex_CheckExact(value) ? PyComplex_ImagAsDouble(value) : 0.0;
        switch (type_) {
            case NPY_FLOAT:
                return store(to, static_cast<float>(in_range(value, real_part(value))));
            case NPY_DOUBLE:
                return store(to, in_range(value, real_part(value)));
            case NPY_CFLOAT:
                store(to, static_cast<float>(in_range(value, number(value))));
                return store(to + sizeof(float), static_cast<float>(in_range(value, imaginary)));
            case NPY_CDOUBLE:
                store(to, number(value));
                return store(to + sizeof(double), imaginary);
            default:  // long double and pairs of it
                std::memset(to, 0, sizeof(npy_longdouble) * (is_complex ? 2 : 1));
                store(to, is_complex ? long_number(value) : long_real_part(value));
                if (is_complex) {
                    store(to + sizeof(npy_longdouble), static_cast<npy_longdouble>(imaginary));
                }
        }
    }

    // The number without its imaginary part.
    double number(PyObject* value) const {
        if (PyComplex_CheckExact(value)) return PyComplex_RealAsDouble(value);
        const double result = PyFloat_AsDouble(value);
        if (result == -1.0 && PyErr_Occurred() != nullptr) {
            const py::error_already_set taken;  // the OverflowError of an int
            fail(value, "which is out of range for");
        }
        return result;
    }

    double real_part(PyObject* value) const {
        if (PyComplex_CheckExact(value) && PyComplex_ImagAsDouble(value) != 0.0) {
            fail(value, "expected real numbers for");
        }
        return number(value);
    }

    // These hold integers of 64 bits exactly.
    npy_longdouble long_number(PyObject* value) const {
        if (!PyLong_CheckExact(value)) return number(value);
        int overflow = 0;
        const long long low = PyLong_AsLongLongAndOverflow(value, &overflow);
        return overflow == 0 ? static_cast<npy_longdouble>(low) : number(value);
    }
    npy_longdouble long_real_part(PyObject* value) const {
        return PyComplex_CheckExact(value) ? real_part(value) : long_number(value);
    }

    // Fails where a finite number would become infinite. Casts from double find the rest.
    double in_range(PyObject* value, double real) const {
        if (!std::isfinite(real)) return real;
        const int type = dtype_->type_num;
        const double magnitude = std::fabs(real);
        // From halfway between the largest number and what would come next.
        const bool is_narrow = type == NPY_FLOAT || type == NPY_CFLOAT;
        if ((is_narrow && magnitude >= 0x1.ffffffp127) ||
            (type == NPY_HALF && magnitude >= 65520.0) ||
            (ml_ == MlType::kFloat && magnitude > FLT_MAX)) {
            fail(value, "which is out of range for");
        }
        return real;
    }

    const char* op_;
    const char* argument_;
    bool is_list_;
    PyArray_Descr* dtype_;
    MlType ml_;
    int type_;
};

py::object cast(const Array& array, PyArray_Descr* dtype) {
    const QuietNumbers quiet;
    Py_INCREF(dtype);  // the new array takes one
    return steal(PyArray_CastToType(array.get(), dtype, 0));
}

double as_double(const Array& array, npy_intp i) noexcept {
    return reinterpret_cast<const double*>(array.data())[i];
}

// The number that all larger ones become in a dtype without infinity and NaN; infinity in others.
double saturation(PyArray_Descr* dtype) {
    constexpr double kHuge = 1e30;  // which all dtypes have that do not saturate
    Layout scalar;
    Array huge = new_array("", scalar, PyArray_DescrFromType(NPY_DOUBLE));
    std::memcpy(huge.data(), &kHuge, sizeof kHuge);
    const Array there(cast(huge, dtype));
    const Array back(cast(there, PyArray_DescrFromType(NPY_DOUBLE)));
    const double largest = as_double(back, 0);
    return largest < kHuge / 10 ? largest : std::numeric_limits<double>::infinity();
}

// Fails where ml_dtypes made another number of one that the dtype has no room for.
void check_cast(const Writer& writer, const Array& from, const Array& to) {
    const Array back(cast(to, PyArray_DescrFromType(NPY_DOUBLE)));
    const double most = saturation(to.dtype());
    for (npy_intp i = 0; i < PyArray_SIZE(from.get()); ++i) {
        const double was = as_double(from, i);
        const double is = as_double(back, i);
        const bool fits = std::isnan(was)   ? std::isnan(is)
                          : std::isinf(was) ? is == was
                                            : std::isfinite(is) && std::fabs(was) <= most;
        if (!fits) writer.fail(py::float_(was).ptr(), "which is out of range for");
    }
}

}  // namespace

bool weak_shape(PyObject* object, Layout& shape) {
    shape.rank = 0;
    for (PyObject* item = object; PyList_CheckExact(item); item = PyList_GET_ITEM(item, 0)) {
        if (shape.rank == kMaxDims / 2) return false;  // NumPy 1.26 has no more dims
        shape.sizes[shape.rank++] = PyList_GET_SIZE(item);
        if (PyList_GET_SIZE(item) == 0) break;
    }
    return has_shape(object, shape, 0);
}

bool takes_weak(const PyArray_Descr* dtype) {
    return PyTypeNum_ISNUMBER(dtype->type_num) || PyTypeNum_ISBOOL(dtype->type_num) ||
           ml_type(dtype) != MlType::kNone;
}

Array weak_array(const char* op, const char* argument, PyObject* object, const Layout& shape,
                 PyArray_Descr* dtype) {
    Writer writer(op, argument, shape.rank > 0, dtype);
    Layout packed = shape;
    PyArray_Descr* const type = PyArray_DescrFromType(writer.type());
    const py::object owner = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(type));
    Array written = new_array(op, packed, type);
    std::byte* to = written.data();
    writer.write(object, to, written.element_bytes());
    if (type->type_num == dtype->type_num && PyArray_ISNBO(dtype->byteorder)) return written;
    Array result(cast(written, dtype));
    if (ml_type(dtype) == MlType::kFloat) check_cast(writer, written, result);
    return result;
}

}  // namespace dmlindex::binding
