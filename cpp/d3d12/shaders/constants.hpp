// The constants of one dispatch, and what else shaders/shared.h has the host and shaders agree on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "d3d12/shaders/shared.h"

namespace dmlindex::d3d12 {

inline constexpr std::uint32_t kSlotCount = 4096;                     // for operators
inline constexpr std::uint32_t kSpareSlot = kSlotCount * kSlotBytes;  // for kernels of one operator
inline constexpr std::size_t kPatternBytes = sizeof Constants::pattern;

// HLSL begins arrays and vectors at multiples of 16 bytes.
static_assert(sizeof(uint4) == 16 && sizeof(DimConstants) == 16);
static_assert(sizeof(CoordinateConstants) == 16);
static_assert(offsetof(Constants, arguments) % 16 == 0 && offsetof(Constants, dims) % 16 == 0);

}  // namespace dmlindex::d3d12
