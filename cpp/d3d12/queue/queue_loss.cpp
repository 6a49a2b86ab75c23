// A queue whose device is gone.

#include <string>

#include "d3d12/queue/queue.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::d3d12 {

HRESULT Queue::removed_reason() const noexcept {
    return is_removed_ ? kDeviceRemoved : device_->GetDeviceRemovedReason();
}

void Queue::throw_if_removed() const {
    print_debug_messages(device_);
    const HRESULT reason = removed_reason();
    if (reason != S_OK) throw_removed(reason);
}

void Queue::remove_device() {
    wait(pending_value());
    ComPtr<ID3D12Device5> device;
    if (SUCCEEDED(device_->QueryInterface(uuidof<ID3D12Device5>(), device.put_void()))) {
        device->RemoveDevice();
    }
    is_removed_ = true;
}

// vkd3d does not say that the device is lost when it is asked; only Vulkan does, to who waits.
void Queue::lose(const Error& error) {
    if (is_removed_.exchange(true)) throw Error(error);
    const HRESULT reason = device_->GetDeviceRemovedReason();
    if (FAILED(reason)) throw_removed(reason);
    throw Error(ErrorKind::kDevice,
                std::string(error.what()) +
                    ": the device counts as one that was removed, and what it held is lost; open a "
                    "new Device, and upload the tensors again");
}

void Queue::drain() noexcept {
    // A device that is lost is at nothing; but one that only counts as lost may be.
    try {
        timeline_->signal(next_value_);  // larger than all that were
    } catch (...) {
    }
    try {
        timeline_->wait_for_milliseconds(next_value_, 5000);
    } catch (...) {
    }
}

}  // namespace dmlindex::d3d12
