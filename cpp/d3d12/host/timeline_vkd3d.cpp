// Linux: Vulkan's own fences. vkd3d keeps its own in a thread that waits for them: it takes some 30
// µs until a D3D12 fence says what a Vulkan one has said before.

#include <dlfcn.h>

#include <deque>
#include <vector>

#include "d3d12/host/timeline.hpp"
#include "d3d12/host/vkd3d.hpp"
#include "d3d12/host/vulkan.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::d3d12 {
namespace {

// Of libvkd3d and libvulkan, which the loader has opened.
struct Functions {
    vulkan::Device (*get_device)(ID3D12Device*);
    vulkan::Queue (*acquire_queue)(ID3D12CommandQueue*);
    void (*release_queue)(ID3D12CommandQueue*);
    vulkan::CreateFence create_fence;
    vulkan::DestroyFence destroy_fence;
    vulkan::ResetFences reset_fences;
    vulkan::GetFenceStatus get_status;
    vulkan::WaitForFences wait;
    vulkan::QueueSubmit submit;

    explicit Functions(ID3D12Device* device) {
        const auto [vkd3d, loader] = vkd3d::libraries();
        bool is_whole = true;
        const auto keep = [&](auto& entry, auto* found) {
            entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(found);
            is_whole = is_whole && found != nullptr;
        };
        keep(get_device, dlsym(vkd3d, "vkd3d_get_vk_device"));
        keep(acquire_queue, dlsym(vkd3d, "vkd3d_acquire_vk_queue"));
        keep(release_queue, dlsym(vkd3d, "vkd3d_release_vk_queue"));
        vulkan::GetDeviceProcAddr get = nullptr;
        keep(get, dlsym(loader, "vkGetDeviceProcAddr"));
        if (is_whole) {
            const vulkan::Device vulkan_device = get_device(device);
            keep(create_fence, get(vulkan_device, "vkCreateFence"));
            keep(destroy_fence, get(vulkan_device, "vkDestroyFence"));
            keep(reset_fences, get(vulkan_device, "vkResetFences"));
            keep(get_status, get(vulkan_device, "vkGetFenceStatus"));
            keep(wait, get(vulkan_device, "vkWaitForFences"));
            keep(submit, get(vulkan_device, "vkQueueSubmit"));
        }
        if (!is_whole) {
            throw Error(ErrorKind::kDevice,
                        "d3d12: libvkd3d.so.1 and libvulkan.so.1 lack functions: install newer "
                        "ones");
        }
    }
};

void check_vulkan(std::int32_t result, const char* what) {
    if (result < 0) {
        throw Error(ErrorKind::kDevice, std::string("d3d12: ") + what + " failed with VkResult " +
                                            std::to_string(result));
    }
}

}  // namespace

struct Timeline::Host {
    struct Pending {
        vulkan::Fence fence;
        std::uint64_t value;
    };

    Functions functions;
    ID3D12CommandQueue* queue;
    vulkan::Device device;
    std::deque<Pending> pending;  // in order
    std::vector<vulkan::Fence> idle;
    std::uint64_t reached = 0;

    vulkan::Fence new_fence() {
        vulkan::Fence fence = nullptr;
        if (idle.empty()) {
            const vulkan::FenceCreateInfo info{vulkan::kFenceCreateInfo, nullptr, 0};
            check_vulkan(functions.create_fence(device, &info, nullptr, &fence),
                         "creating a fence");
        } else {
            fence = idle.back();
            idle.pop_back();
            check_vulkan(functions.reset_fences(device, 1, &fence), "resetting a fence");
        }
        return fence;
    }
};

Timeline::Timeline(ID3D12Device* device, ID3D12CommandQueue* queue)
    : host_(new Host{Functions(device), queue, nullptr, {}, {}, 0}) {
    host_->device = host_->functions.get_device(device);
}

Timeline::~Timeline() {
    completed();
    // What is still at work on a lost device stays.
    for (const vulkan::Fence fence : host_->idle) {
        host_->functions.destroy_fence(host_->device, fence, nullptr);
    }
}

void Timeline::signal(std::uint64_t value) {
    Host& host = *host_;
    const vulkan::Fence fence = host.new_fence();
    const vulkan::Queue queue = host.functions.acquire_queue(host.queue);
    const std::int32_t result = host.functions.submit(queue, 0, nullptr, fence);
    host.functions.release_queue(host.queue);
    if (result < 0) host.idle.push_back(fence);
    check_vulkan(result, "signalling a fence");
    host.pending.push_back({fence, value});
}

std::uint64_t Timeline::completed() {
    Host& host = *host_;
    while (!host.pending.empty() &&
           host.functions.get_status(host.device, host.pending.front().fence) == 0) {
        host.reached = host.pending.front().value;
        host.idle.push_back(host.pending.front().fence);
        host.pending.pop_front();
    }
    return host.reached;
}

bool Timeline::wait_for_milliseconds(std::uint64_t value, int milliseconds) {
    Host& host = *host_;
    const auto timeout = static_cast<std::uint64_t>(milliseconds) * 1'000'000;
    for (const Host::Pending& one : host.pending) {
        if (one.value < value) continue;
        check_vulkan(host.functions.wait(host.device, 1, &one.fence, 1, timeout),
                     "waiting for a fence");
        break;
    }
    return completed() >= value;
}

}  // namespace dmlindex::d3d12
