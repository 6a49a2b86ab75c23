// Windows and WSL: a D3D12 fence.

#include "d3d12/microsoft.hpp"
#include "d3d12/timeline.hpp"

namespace dmlindex::d3d12 {

struct Timeline::Host {
    ID3D12CommandQueue* queue;
    ComPtr<ID3D12Fence> fence;
};

Timeline::Timeline(ID3D12Device* device, ID3D12CommandQueue* queue)
    : host_(std::make_unique<Host>()) {
    host_->queue = queue;
    check(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, uuidof<ID3D12Fence>(),
                              host_->fence.put_void()),
          "creating a fence");
}

Timeline::~Timeline() = default;

void Timeline::signal(std::uint64_t value) {
    check(host_->queue->Signal(host_->fence.get(), value), "signalling a fence");
}

std::uint64_t Timeline::completed() { return host_->fence->GetCompletedValue(); }

bool Timeline::wait_for_milliseconds(std::uint64_t value, int milliseconds) {
    auto event = std::make_unique<Event>();
    check(host_->fence->SetEventOnCompletion(value, event->handle()), "waiting for a fence");
    if (event->wait_for_milliseconds(milliseconds)) return true;
    // It may still be signalled, at any time: it has to live on.
    if (completed() < value) (void)event.release();
    return completed() >= value;
}

}  // namespace dmlindex::d3d12
