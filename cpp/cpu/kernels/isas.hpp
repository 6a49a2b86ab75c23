// What each ISA's files add to the table of kernels.
#pragma once

#include <cstdint>

#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

// Calls add<Index, kMode>(type, mode), the last two for the slots.
template <class Add>
void for_each_index_type_and_mode(Add add) noexcept {
    const auto each_mode = [&]<class Index>(IndexType type) {
        const auto each = [&]<Mode kMode>() {
            add.template operator()<Index, kMode>(static_cast<int>(type), static_cast<int>(kMode));
        };
        each.template operator()<Mode::kRaise>();
        each.template operator()<Mode::kClamp>();
        each.template operator()<Mode::kWrap>();
        each.template operator()<Mode::kSkip>();
    };
    each_mode.template operator()<std::int8_t>(IndexType::kInt8);
    each_mode.template operator()<std::uint8_t>(IndexType::kUint8);
    each_mode.template operator()<std::int16_t>(IndexType::kInt16);
    each_mode.template operator()<std::uint16_t>(IndexType::kUint16);
    each_mode.template operator()<std::int32_t>(IndexType::kInt32);
    each_mode.template operator()<std::uint32_t>(IndexType::kUint32);
    each_mode.template operator()<std::int64_t>(IndexType::kInt64);
    each_mode.template operator()<std::uint64_t>(IndexType::kUint64);
}

void add_scalar_kernels(Kernels& kernels) noexcept;
void add_avx2_kernels(Kernels& kernels) noexcept;
void add_avx2_flatten(Kernels& kernels) noexcept;
void add_avx2_reductions(Kernels& kernels) noexcept;
void add_avx512_kernels(Kernels& kernels) noexcept;
void add_avx512_look_ups(Kernels& kernels) noexcept;
void add_avx512_line_look_ups(Kernels& kernels) noexcept;
void add_avx512fp16_sums(Kernels& kernels) noexcept;
void add_neon_kernels(Kernels& kernels) noexcept;
void add_reductions(Kernels& kernels) noexcept;

}  // namespace dmlindex::cpu
