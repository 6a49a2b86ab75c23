// AVX-512: tuples of indices, 16 at a time.

#include "cpu/kernels/avx512_tables.hpp"

namespace dmlindex::cpu {

void add_avx512_flatten(Kernels& kernels) noexcept { add_flatten<Avx512Words>(kernels); }

}  // namespace dmlindex::cpu
