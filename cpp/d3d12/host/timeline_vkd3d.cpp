// Linux: Vulkan's own fences. vkd3d keeps its own in a thread that waits for them: it takes some 30
// µs until a D3D12 fence says what a Vulkan one has said before.

#include <dlfcn.h>

#include <list>

#include "d3d12/host/timeline.hpp"
#include "d3d12/host/vkd3d.hpp"
#include "d3d12/host/vkd3d_watch.hpp"
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

}  // namespace

struct Timeline::Host {
    struct Numbered {
        vulkan::Fence fence = nullptr;
        std::uint64_t value = 0;
        bool is_new = true;  // since it was made or reset
    };

    Functions functions;
    ID3D12CommandQueue* queue;
    vulkan::Device device;
    // Fences go from one list to the other and back, which takes no memory.
    std::list<Numbered> pending;  // in order
    std::list<Numbered> idle;
    std::uint64_t reached = 0;
    std::uint64_t failures = vkd3d::failures().count;  // those before the device

    // The first idle fence will be signalled when value is reached.
    void await_next(std::uint64_t value) {
        idle.front().value = value;
        idle.front().is_new = false;
        pending.splice(pending.end(), idle, idle.begin());
    }
};

Timeline::Timeline(ID3D12Device* device, ID3D12CommandQueue* queue)
    : host_(new Host{Functions(device), queue, nullptr, {}, {}}) {
    host_->device = host_->functions.get_device(device);
}

Timeline::~Timeline() {
    completed();
    // What is still at work on a lost device stays.
    for (const Host::Numbered& one : host_->idle) {
        host_->functions.destroy_fence(host_->device, one.fence, nullptr);
    }
}

void Timeline::prepare() {
    Host& host = *host_;
    if (host.idle.empty()) {
        std::list<Host::Numbered> made(1);
        const vulkan::FenceCreateInfo info{vulkan::kFenceCreateInfo, nullptr, 0};
        vulkan::check(host.functions.create_fence(host.device, &info, nullptr, &made.front().fence),
                      "creating a fence");
        host.idle.splice(host.idle.begin(), made);
    }
    Host::Numbered& next = host.idle.front();
    if (next.is_new) return;
    vulkan::check(host.functions.reset_fences(host.device, 1, &next.fence), "resetting a fence");
    next.is_new = true;
}

// The fence goes along with the list: a submission of its own takes 3 µs.
void Timeline::submit(ID3D12CommandList* list, std::uint64_t value) {
    prepare();
    bool goes_along;
    {
        const vkd3d::NextSubmission next(host_->idle.front().fence);
        host_->queue->ExecuteCommandLists(1, &list);
        goes_along = next.took_fence();
    }
    if (!goes_along) {  // vkd3d submitted nothing, or not in this thread
        signal(value);
        return;
    }
    host_->await_next(value);
    check_recorded();
}

void Timeline::signal(std::uint64_t value) {
    prepare();
    Host& host = *host_;
    const vulkan::Queue queue = host.functions.acquire_queue(host.queue);
    const std::int32_t result = host.functions.submit(queue, 0, nullptr, host.idle.front().fence);
    host.functions.release_queue(host.queue);
    vulkan::check(result, "signalling a fence");
    host.await_next(value);
    check_recorded();  // last: what was sent is at work all the same, and has to be waited for
}

void Timeline::check_recorded() {
    const vkd3d::Failures failures = vkd3d::failures();
    if (failures.count != host_->failures) vulkan::check(failures.last, "submitting commands");
}

std::uint64_t Timeline::completed() {
    Host& host = *host_;
    while (!host.pending.empty() &&
           host.functions.get_status(host.device, host.pending.front().fence) == 0) {
        host.reached = host.pending.front().value;
        host.idle.splice(host.idle.end(), host.pending, host.pending.begin());
    }
    return host.reached;
}

bool Timeline::wait_for_milliseconds(std::uint64_t value, int milliseconds) {
    Host& host = *host_;
    const auto timeout = static_cast<std::uint64_t>(milliseconds) * 1'000'000;
    for (const Host::Numbered& one : host.pending) {
        if (one.value < value) continue;
        vulkan::check(host.functions.wait(host.device, 1, &one.fence, 1, timeout),
                      "waiting for a fence");
        break;
    }
    return completed() >= value;
}

}  // namespace dmlindex::d3d12
