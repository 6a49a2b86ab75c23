// Finds a D3D12 implementation on this machine and loads it at run time: nothing is linked against
// it. On Linux that is libvkd3d over any Vulkan driver.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "d3d12/adapter.hpp"
#include "d3d12/api.hpp"

namespace dmlindex::d3d12 {

// Something a fence can wake a thread with.
class Event {
  public:
    HANDLE handle() noexcept { return this; }
    void signal();
    // False if nothing came within the time.
    bool wait_for_milliseconds(int milliseconds);

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool signalled_ = false;
};

class Library {
  public:
    // The one library of this process. Loads it the first time; what is missing is kept as
    // reason().
    static Library& get();

    // Why there are no adapters, and what to install; empty when there are some.
    const std::string& reason() const noexcept { return reason_; }
    const std::vector<Adapter>& adapters() const noexcept { return adapters_; }

    // Throws Error(kDevice). adapter counts in adapters().
    ComPtr<ID3D12Device> create_device(int adapter) const;
    ComPtr<ID3DBlob> serialize(const D3D12_ROOT_SIGNATURE_DESC& desc) const;

  private:
    struct Entries;

    Library();
    std::string load();

    std::shared_ptr<Entries> entries_;
    std::vector<Adapter> adapters_;
    std::string reason_;  // last: load() fills the others
};

}  // namespace dmlindex::d3d12
