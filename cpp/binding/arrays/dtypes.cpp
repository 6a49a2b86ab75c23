#include "binding/arrays/dtypes.hpp"

#include <bit>
#include <string>

#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {
namespace {

// 8-bit results, a table for every dtype and reduction, made at first use and kept.
const std::byte* byte_table(PyArray_Descr* dtype, Reduction reduction) {
    static constexpr const char* kNames[] = {"none", "add", "mul", "min", "max"};
    py::bytes table = py::module_::import("dmlindex._byte_tables")
                          .attr("byte_table")(py::handle(reinterpret_cast<PyObject*>(dtype)),
                                              kNames[static_cast<int>(reduction)]);
    // functools.cache on the Python side keeps the bytes alive.
    return reinterpret_cast<const std::byte*>(PyBytes_AS_STRING(table.ptr()));
}

std::string type_name_of(const PyArray_Descr* dtype) {
    return text_of(py::handle(reinterpret_cast<PyObject*>(dtype->typeobj)).attr("__name__"));
}

// Where NumPy's long double is a double, as on Windows, it is one here too, whatever the compiler's
// is.
int plain_number(int type) noexcept {
    if constexpr (sizeof(npy_longdouble) == sizeof(double)) {
        if (type == NPY_LONGDOUBLE) return NPY_DOUBLE;
        if (type == NPY_CLONGDOUBLE) return NPY_CDOUBLE;
    }
    return type;
}

// The reason why a reduction does not go with a dtype; empty if it does.
std::string objection(PyArray_Descr* dtype, Reduction reduction, std::optional<ValueType>& found) {
    if (!PyArray_ISNBO(dtype->byteorder)) {
        return "expected native byte order; convert it, e.g. with "
               "input.astype(input.dtype.newbyteorder(\"=\"))";
    }
    const int type = plain_number(dtype->type_num);
    if (PyTypeNum_ISBOOL(type)) {
        found = ValueType::kBool;
    } else if (PyTypeNum_ISINTEGER(type)) {
        found = static_cast<ValueType>(static_cast<int>(ValueType::kInt8) + integer_number(dtype));
    } else if (type == NPY_HALF) {
        found = ValueType::kFloat16;
    } else if (type == NPY_FLOAT) {
        found = ValueType::kFloat32;
    } else if (type == NPY_DOUBLE) {
        found = ValueType::kFloat64;
    } else if (type == NPY_LONGDOUBLE) {
        found = ValueType::kLongDouble;
    } else if (PyTypeNum_ISCOMPLEX(type)) {
        if (reduction == Reduction::kMin || reduction == Reduction::kMax) {
            return "complex numbers have no min and max; expected \"add\" or \"mul\"";
        }
        found = type == NPY_CFLOAT    ? ValueType::kComplex64
                : type == NPY_CDOUBLE ? ValueType::kComplex128
                                      : ValueType::kComplexLongDouble;
    } else if (ml_type(dtype) == MlType::kFloat) {
        if (PyDataType_ELSIZE(dtype) == 1) {
            found = ValueType::kByteTable;
        } else if (type_name_of(dtype) == "bfloat16") {
            found = ValueType::kBfloat16;
        }
    }
    return found ? std::string() : "expected a bool, integer, float or complex dtype";
}

}  // namespace

int integer_number(const PyArray_Descr* dtype) noexcept {
    const int width = std::countr_zero(static_cast<unsigned>(PyDataType_ELSIZE(dtype)));
    return 2 * width + (PyTypeNum_ISUNSIGNED(dtype->type_num) ? 1 : 0);
}

MlType ml_type(const PyArray_Descr* dtype) {
    if (!PyTypeNum_ISUSERDEF(dtype->type_num)) return MlType::kNone;
    const py::handle type(reinterpret_cast<PyObject*>(dtype->typeobj));
    if (text_of(type.attr("__module__")) != "ml_dtypes") return MlType::kNone;
    const std::string name = type_name_of(dtype);
    if (name.starts_with("int") || name.starts_with("uint")) return MlType::kInteger;
    return name.starts_with("float") || name.starts_with("bfloat") ? MlType::kFloat : MlType::kNone;
}

Arithmetic arithmetic_of(const char* op, PyArray_Descr* dtype, Reduction reduction) {
    std::optional<ValueType> found;
    if (const std::string why = objection(dtype, reduction, found); !why.empty()) {
        throw Error(ErrorKind::kType,
                    std::string(op) + ": reduction on dtype " + text_of(dtype) + ": " + why);
    }
    return {*found, *found == ValueType::kByteTable ? byte_table(dtype, reduction) : nullptr};
}

bool has_arithmetic(PyArray_Descr* dtype, Reduction reduction) {
    std::optional<ValueType> found;
    return reduction == Reduction::kNone || objection(dtype, reduction, found).empty();
}

}  // namespace dmlindex::binding
