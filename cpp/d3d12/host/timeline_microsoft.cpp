// Windows and WSL: a D3D12 fence.

#include <chrono>

#include "d3d12/host/microsoft.hpp"
#include "d3d12/host/timeline.hpp"

namespace dmlindex::d3d12 {

struct Timeline::Host {
    ID3D12CommandQueue* queue;
    ComPtr<ID3D12Fence> fence;
    std::unique_ptr<Event> event;  // once somebody had to sleep
    std::uint64_t awaited = 0;     // the last value that the event was set on
    bool is_set = false;           // and whether it may still be signalled
};

Timeline::Timeline(ID3D12Device* device, ID3D12CommandQueue* queue)
    : host_(std::make_unique<Host>()) {
    host_->queue = queue;
    check(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, uuidof<ID3D12Fence>(),
                              host_->fence.put_void()),
          "creating a fence");
}

Timeline::~Timeline() {
    // It may be signalled at any time, and has to live on.
    if (host_->is_set) (void)host_->event.release();
}

void Timeline::prepare() {}
void Timeline::check_recorded() {}

void Timeline::submit(ID3D12CommandList* list, std::uint64_t value) {
    host_->queue->ExecuteCommandLists(1, &list);
    signal(value);
}

void Timeline::signal(std::uint64_t value) {
    check(host_->queue->Signal(host_->fence.get(), value), "signalling a fence");
}

std::uint64_t Timeline::completed() { return host_->fence->GetCompletedValue(); }

// One event for all: what is left over of an earlier value only wakes up too early.
bool Timeline::wait_for_milliseconds(std::uint64_t value, int milliseconds) {
    Host& host = *host_;
    if (completed() >= value) return true;
    if (!host.event) host.event = std::make_unique<Event>();
    if (!host.is_set || host.awaited != value) {
        check(host.fence->SetEventOnCompletion(value, host.event->handle()), "waiting for a fence");
        host.awaited = value;
        host.is_set = true;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    for (std::int64_t left = milliseconds; left >= 0;) {
        const bool is_signalled = host.event->wait_for_milliseconds(static_cast<int>(left));
        if (completed() >= value) {
            if (is_signalled) host.is_set = false;
            return true;
        }
        left = std::chrono::duration_cast<std::chrono::milliseconds>(
                   end - std::chrono::steady_clock::now())
                   .count();
    }
    return false;
}

}  // namespace dmlindex::d3d12
