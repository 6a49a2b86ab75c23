// The reductions as the compiler vectorises them for AVX2, with F16C for float16. What gains
// nothing by it stays scalar: bfloat16, products of complex numbers, and long doubles.
#include "cpu/kernels/reduce.hpp"

namespace dmlindex::cpu {
namespace {

template <class T>
void add_sum(Kernels& kernels, ValueType type) noexcept {
    kernels.reduce[static_cast<int>(type)][static_cast<int>(Reduction::kAdd)] =
        reduce<Reduction::kAdd, T>;
}

}  // namespace

void add_avx2_reductions(Kernels& kernels) noexcept {
    add_reduction<Bool>(kernels, ValueType::kBool);
    add_reduction<std::int8_t>(kernels, ValueType::kInt8);
    add_reduction<std::uint8_t>(kernels, ValueType::kUint8);
    add_reduction<std::int16_t>(kernels, ValueType::kInt16);
    add_reduction<std::uint16_t>(kernels, ValueType::kUint16);
    add_reduction<std::int32_t>(kernels, ValueType::kInt32);
    add_reduction<std::uint32_t>(kernels, ValueType::kUint32);
    add_reduction<std::int64_t>(kernels, ValueType::kInt64);
    add_reduction<std::uint64_t>(kernels, ValueType::kUint64);
    add_reduction<Float16>(kernels, ValueType::kFloat16);
    add_reduction<float>(kernels, ValueType::kFloat32);
    add_reduction<double>(kernels, ValueType::kFloat64);
    add_sum<std::complex<float>>(kernels, ValueType::kComplex64);
    add_sum<std::complex<double>>(kernels, ValueType::kComplex128);
}

}  // namespace dmlindex::cpu
