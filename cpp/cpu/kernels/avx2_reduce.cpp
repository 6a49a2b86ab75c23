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
    add_vectorised_reductions(kernels);
    add_sum<std::complex<float>>(kernels, ValueType::kComplex64);
    add_sum<std::complex<double>>(kernels, ValueType::kComplex128);
}

}  // namespace dmlindex::cpu
