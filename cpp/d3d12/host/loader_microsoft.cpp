// Windows and WSL, once the libraries are open.

#include <utility>

#include "d3d12/host/microsoft.hpp"

namespace dmlindex::d3d12 {

struct Library::Host {
    Microsoft entries;
    std::vector<ComPtr<IUnknown>> adapters;
};

std::string Library::load() {
    host_ = std::make_shared<Host>();
    Microsoft& entries = host_->entries;
    if (std::string missing = open_microsoft(entries); !missing.empty()) return missing;
    ComPtr<ID3D12Debug> debug;
    if (wants_debug_messages() && entries.get_debug_interface != nullptr &&
        SUCCEEDED(entries.get_debug_interface(uuidof<ID3D12Debug>(), debug.put_void()))) {
        debug->EnableDebugLayer();
    }
    for (Microsoft::Candidate& candidate : entries.candidates) {
        const HRESULT result = entries.create_device(candidate.object.get(), D3D_FEATURE_LEVEL_11_0,
                                                     uuidof<ID3D12Device>(), nullptr);
        if (FAILED(result)) continue;
        host_->adapters.push_back(std::move(candidate.object));
        adapters_.push_back(std::move(candidate.adapter));
    }
    entries.candidates.clear();
    if (adapters_.empty()) return "no adapter here has a D3D12 driver: install the GPU's driver";
    return {};
}

ComPtr<ID3D12Device> Library::create_device(int adapter) const {
    ComPtr<ID3D12Device> device;
    check(host_->entries.create_device(host_->adapters[static_cast<std::size_t>(adapter)].get(),
                                       D3D_FEATURE_LEVEL_11_0, uuidof<ID3D12Device>(),
                                       device.put_void()),
          "creating the device");
    return device;
}

ComPtr<ID3DBlob> Library::serialize(const D3D12_ROOT_SIGNATURE_DESC& desc) const {
    ComPtr<ID3DBlob> blob;
    check(host_->entries.serialize(&desc, D3D_ROOT_SIGNATURE_VERSION_1, blob.put(), nullptr),
          "serializing a root signature");
    return blob;
}

}  // namespace dmlindex::d3d12
