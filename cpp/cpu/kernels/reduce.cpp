#include "cpu/kernels/reduce.hpp"

namespace dmlindex::cpu {
namespace {

void reduce_by_table(const Block& given) noexcept {
    const Block block = given;
    const std::byte* item = block.items;
    for (std::int64_t i = 0; i < block.count; ++i, item += block.item_stride) {
        if (block.offsets[i] == kSkipped) continue;
        std::byte* target = block.table + block.offsets[i];
        for (std::int64_t s = 0; s < block.slice_bytes; ++s) {
            target[s] = block.byte_table[static_cast<std::size_t>(target[s]) * 256 +
                                         static_cast<std::size_t>(item[s])];
        }
    }
}

}  // namespace

void add_reductions(Kernels& kernels) noexcept {
    add_vectorised_reductions(kernels);
    add_reduction<Bfloat16>(kernels, ValueType::kBfloat16);
    add_reduction<long double>(kernels, ValueType::kLongDouble);
    add_reduction<std::complex<long double>>(kernels, ValueType::kComplexLongDouble);
    for (auto& slot : kernels.reduce[static_cast<int>(ValueType::kByteTable)])
        slot = reduce_by_table;
}

}  // namespace dmlindex::cpu
