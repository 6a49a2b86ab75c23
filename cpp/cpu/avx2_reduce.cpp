// The reductions as the compiler vectorises them for AVX2, with F16C for float16.
#include "cpu/reduce.hpp"

namespace dmlindex::cpu {

void add_avx2_reductions(Kernels& kernels) noexcept { add_all_reductions(kernels); }

}  // namespace dmlindex::cpu
