// What stands between vkd3d and Vulkan. Failures that vkd3d passes over: the methods of D3D12
// behind which they are have no result. What was recorded or submitted is lost then, and what comes
// after goes on without it. And a fence that goes along with a submission of vkd3d's.
#pragma once

#include <cstdint>
#include <mutex>

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

// While it lives, the next submission of commands by this thread signals the fence, too. Other
// threads wait for its end before they have one.
class NextSubmission {
  public:
    explicit NextSubmission(vulkan::Fence fence);
    ~NextSubmission();
    NextSubmission(const NextSubmission&) = delete;
    NextSubmission& operator=(const NextSubmission&) = delete;

    // Whether there was one.
    bool took_fence() const noexcept;

  private:
    std::lock_guard<std::mutex> lock_;
};

}  // namespace dmlindex::d3d12::vkd3d
