// What dtypes are to a plan.
#pragma once

#include <optional>

#include "binding/python/numpy.hpp"
#include "plan/plan.hpp"

namespace dmlindex::binding {

// int8, uint8, int16, … uint64 counted from 0: the order of IndexType and of ValueType.
int integer_number(const PyArray_Descr* dtype) noexcept;

// Whether the two are the same but for their name: 'l' and 'q', say.
inline bool is_same_dtype(PyArray_Descr* a, PyArray_Descr* b) noexcept {
    return a == b || PyArray_EquivTypes(a, b);
}

// The types that ml_dtypes adds.
enum class MlType { kNone, kFloat, kInteger };
MlType ml_type(const PyArray_Descr* dtype);

// What a reduction does with a dtype. byte_table is set for ml_dtypes' floats of 8 bits and less.
struct Arithmetic {
    ValueType value_type = ValueType::kUint8;
    const std::byte* byte_table = nullptr;
};
// For Reduction::kNone any dtype will do. Error(kType) where the reduction does not go with it.
Arithmetic arithmetic_of(const char* op, PyArray_Descr* dtype, Reduction reduction);
inline Arithmetic arithmetic(const char* op, PyArray_Descr* dtype, Reduction reduction) {
    return reduction == Reduction::kNone ? Arithmetic{} : arithmetic_of(op, dtype, reduction);
}
bool has_arithmetic(PyArray_Descr* dtype, Reduction reduction);

}  // namespace dmlindex::binding
