// Finds a D3D12 implementation on this machine and loads it at run time: nothing is linked against
// it. The host has a file of its own: loader_vkd3d.cpp (Linux, over any Vulkan driver), or
// loader_microsoft.cpp with loader_windows.cpp or loader_wsl.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "d3d12/host/adapter.hpp"
#include "d3d12/host/api.hpp"

namespace dmlindex::d3d12 {

inline constexpr auto kDeviceRemoved = static_cast<HRESULT>(0x887a0005);

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
    struct Host;  // the host's own

    Library();
    // The host's own: fills host_ and adapters_. Returns what is missing, or nothing.
    std::string load();

    std::shared_ptr<Host> host_;
    std::vector<Adapter> adapters_;
    std::string reason_;
};

// Whether DMLINDEX_D3D12_DEBUG=1 asks for what D3D12 has to say.
bool wants_debug_messages();
// Then prints what the debug layer has said since the last time. (vkd3d has none, and prints by
// itself.)
void print_debug_messages(ID3D12Device* device);

// reason as GetDeviceRemovedReason gives it.
[[noreturn]] void throw_removed(HRESULT reason);

}  // namespace dmlindex::d3d12
