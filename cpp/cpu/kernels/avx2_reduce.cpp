// The reductions as the compiler vectorises them for AVX2, with F16C for float16. What gains
// nothing by it stays scalar: bfloat16, and long doubles.
#include "cpu/kernels/reduce.hpp"

namespace dmlindex::cpu {

void add_avx2_reductions(Kernels& kernels) noexcept { add_vectorised_reductions(kernels); }

}  // namespace dmlindex::cpu
