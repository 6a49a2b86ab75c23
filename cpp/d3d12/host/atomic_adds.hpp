// Floats that the hardware adds. Vulkan has extensions for atomics that do so, and HLSL no word for
// them: a kernel says InterlockedExchange, of a buffer as no kernel means it, and what vkd3d has
// translated of it is changed on the way to the driver. Of RWBuffer<float> it adds float32; of
// RWBuffer<int>, in a view of R16G16_FLOAT, the two float16 of a word.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dmlindex::d3d12::vkd3d {

// A module of SPIR-V in which atomics add; nothing where there are none that are to, and where what
// is given is no module.
std::vector<std::uint32_t> with_atomic_adds(std::span<const std::uint32_t> module);

}  // namespace dmlindex::d3d12::vkd3d
