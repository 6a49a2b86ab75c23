// What is alike on every host.

#include "d3d12/host/loader.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "d3d12/host/process.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::d3d12 {
namespace {

std::string hex(HRESULT result) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", static_cast<unsigned>(result));
    return text;
}

// DXGI_ERROR_DEVICE_HUNG, _RESET and _DRIVER_INTERNAL_ERROR, which not every host's headers name.
bool says_removed(HRESULT result) noexcept {
    return result == kDeviceRemoved || result == static_cast<HRESULT>(0x887a0006) ||
           result == static_cast<HRESULT>(0x887a0007) || result == static_cast<HRESULT>(0x887a0020);
}

const std::vector<Adapter> kNoAdapters;

}  // namespace

void check(HRESULT result, const char* what) {
    if (!FAILED(result)) return;
    if (says_removed(result)) throw_removed(result);
    const bool no_memory = result == E_OUTOFMEMORY;
    throw Error(no_memory ? ErrorKind::kMemory : ErrorKind::kDevice,
                std::string("d3d12: ") + what + " failed with HRESULT " + hex(result) +
                    (no_memory ? " (out of memory)" : ""));
}

void throw_removed(HRESULT reason) {
    throw Error(ErrorKind::kDevice, "d3d12: the device was removed (HRESULT " + hex(reason) +
                                        "), and what it held is lost; open a new Device, and "
                                        "upload the tensors again");
}

bool wants_debug_messages() {
    const char* const debug = std::getenv("DMLINDEX_D3D12_DEBUG");
    return debug != nullptr && std::strcmp(debug, "1") == 0;
}

void print_debug_messages(ID3D12Device* device) {
    static const bool wanted = wants_debug_messages();
    if (!wanted) return;
    ComPtr<ID3D12InfoQueue> queue;
    if (FAILED(device->QueryInterface(uuidof<ID3D12InfoQueue>(), queue.put_void()))) return;
    std::vector<std::byte> bytes;
    for (UINT64 i = 0; i < queue->GetNumStoredMessages(); ++i) {
        SIZE_T size = 0;
        queue->GetMessage(i, nullptr, &size);
        bytes.resize(size);
        auto* const message = reinterpret_cast<D3D12_MESSAGE*>(bytes.data());
        if (SUCCEEDED(queue->GetMessage(i, message, &size))) {
            std::fprintf(stderr, "d3d12: %s\n", message->pDescription);
        }
    }
    queue->ClearStoredMessages();
}

// Never destroyed: a library's threads may outlive static destructors.
Library& Library::get() {
    static Library& library = *new Library;
    return library;
}

Library::Library() {
    try {
        reason_ = load();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::kMemory) throw;  // the next time there may be some
        adapters_.clear();
        reason_ = error.what();
    }
}

const std::vector<Adapter>& list_adapters(std::string& reason) {
    if (!may_use_d3d12()) {
        reason = kForked;
        return kNoAdapters;
    }
    Library& library = Library::get();
    reason = library.reason();
    return library.adapters();
}

int preferred_adapter(const std::vector<Adapter>& adapters) noexcept {
    for (std::size_t i = 0; i < adapters.size(); ++i) {
        if (!adapters[i].is_software) return static_cast<int>(i);
    }
    return 0;
}

}  // namespace dmlindex::d3d12
