// Failures of Vulkan that vkd3d passes over: the methods of D3D12 behind which they are have no
// result. What was recorded or submitted is lost then, and what comes after goes on without it.
#pragma once

#include <cstdint>

#include "d3d12/host/vulkan.hpp"

namespace dmlindex::d3d12::vkd3d {

// For vkd3d in the place of get: the functions that it gives, of which these are watched.
vulkan::GetInstanceProcAddr watched(vulkan::GetInstanceProcAddr get) noexcept;

// How many have failed in this process, on whatever device, and the last one's VkResult.
struct Failures {
    std::uint64_t count;
    std::int32_t last;
};
Failures failures() noexcept;

}  // namespace dmlindex::d3d12::vkd3d
