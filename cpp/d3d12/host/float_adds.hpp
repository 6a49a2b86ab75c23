// Floats that the hardware adds. Vulkan has an extension for atomics that do so, and HLSL no word
// for them: a kernel says InterlockedExchange on a buffer of floats, which no kernel means, and
// what vkd3d has translated of it is changed on the way to the driver.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dmlindex::d3d12::vkd3d {

// A module of SPIR-V in which atomics add floats that exchanged them; nothing where none did, and
// where what is given is no module.
std::vector<std::uint32_t> with_float_adds(std::span<const std::uint32_t> module);

}  // namespace dmlindex::d3d12::vkd3d
