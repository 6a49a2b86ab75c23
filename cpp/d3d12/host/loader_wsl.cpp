// Windows Subsystem for Linux: libd3d12.so and libdxcore.so, which reach the Windows driver.

#include <dlfcn.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "d3d12/host/loader_library.hpp"
#include "d3d12/host/microsoft.hpp"

namespace dmlindex::d3d12 {
namespace {

// Where WSL puts them; an older distribution's loader may not look there.
constexpr const char* kFolder = "/usr/lib/wsl/lib/";

// DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE, which dxcore.h only declares.
constexpr GUID kComputes = {
    0x248e2800, 0xa793, 0x4724, {0xab, 0xaa, 0x23, 0xa6, 0xde, 0x1b, 0xe0, 0x90}};

Opened open(const char* name) {
    Opened found = open_library(name);
    const bool is_missing = found.handle == nullptr && found.refusal.empty();
    return is_missing ? open_library(std::string(kFolder) + name) : found;
}

template <typename Entry>
bool find(void* library, const char* name, Entry& entry) {
    entry = reinterpret_cast<Entry>(dlsym(library, name));
    return entry != nullptr;
}

// A property of a fixed size; value stays as it is if the adapter does not tell.
template <typename Value>
void read(IDXCoreAdapter* adapter, DXCoreAdapterProperty property, Value& value) {
    if (adapter->IsPropertySupported(property)) {
        (void)adapter->GetProperty(property, sizeof value, &value);
    }
}

std::string read_text(IDXCoreAdapter* adapter, DXCoreAdapterProperty property) {
    std::size_t bytes = 0;
    if (FAILED(adapter->GetPropertySize(property, &bytes)) || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (FAILED(adapter->GetProperty(property, bytes, text.data()))) return {};
    return text.c_str();  // up to the terminating zero
}

Adapter describe(IDXCoreAdapter* adapter) {
    bool is_hardware = false;
    std::uint64_t version = 0;
    std::uint64_t memory_bytes = 0;
    read(adapter, DXCoreAdapterProperty::IsHardware, is_hardware);
    read(adapter, DXCoreAdapterProperty::DriverVersion, version);
    read(adapter, DXCoreAdapterProperty::DedicatedAdapterMemory, memory_bytes);
    if (memory_bytes == 0) read(adapter, DXCoreAdapterProperty::SharedSystemMemory, memory_bytes);
    const auto part = [&](int shift) { return std::to_string(version >> shift & 0xffff); };
    return {read_text(adapter, DXCoreAdapterProperty::DriverDescription),
            part(48) + "." + part(32) + "." + part(16) + "." + part(0), memory_bytes, !is_hardware};
}

}  // namespace

// A handle is the number of an eventfd there.
struct Event::State {
    int descriptor;
};

Event::Event() : state_(std::make_unique<State>()) {
    state_->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (state_->descriptor < 0) check(E_OUTOFMEMORY, "creating an event");
}

Event::~Event() { close(state_->descriptor); }

HANDLE Event::handle() noexcept {
    return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(state_->descriptor));
}

bool Event::wait_for_milliseconds(int milliseconds) {
    pollfd wanted{state_->descriptor, POLLIN, 0};
    if (poll(&wanted, 1, milliseconds) != 1) return false;
    std::uint64_t signals = 0;
    return ::read(state_->descriptor, &signals, sizeof signals) == sizeof signals;
}

std::string open_microsoft(Microsoft& found) {
    constexpr const char* kUpdate = "WSL's current version (wsl --update, on Windows)";
    const Opened d3d12 = open("libd3d12.so");
    if (!d3d12.refusal.empty()) return explain("libd3d12.so", d3d12, kUpdate);
    const Opened dxcore = open("libdxcore.so");
    if (!dxcore.refusal.empty()) return explain("libdxcore.so", dxcore, kUpdate);
    if (d3d12.handle == nullptr || dxcore.handle == nullptr) {
        return "libd3d12.so and libdxcore.so are not here: this build is for WSL 2, where the "
               "Windows driver brings them in /usr/lib/wsl/lib; elsewhere build again with "
               "-DDMLINDEX_D3D12_HOST=vkd3d";
    }
    HRESULT (*create_factory)(REFIID, void**);
    if (!find(d3d12.handle, "D3D12CreateDevice", found.create_device) ||
        !find(d3d12.handle, "D3D12SerializeRootSignature", found.serialize) ||
        !find(dxcore.handle, "DXCoreCreateAdapterFactory", create_factory)) {
        return std::string("libd3d12.so or libdxcore.so lacks functions: install ") + kUpdate;
    }
    find(d3d12.handle, "D3D12GetDebugInterface", found.get_debug_interface);
    ComPtr<IDXCoreAdapterFactory> factory;
    check(create_factory(uuidof<IDXCoreAdapterFactory>(), factory.put_void()), "starting DXCore");
    ComPtr<IDXCoreAdapterList> list;
    check(factory->CreateAdapterList(1, &kComputes, uuidof<IDXCoreAdapterList>(), list.put_void()),
          "listing the adapters");
    for (std::uint32_t number = 0; number < list->GetAdapterCount(); ++number) {
        ComPtr<IDXCoreAdapter> adapter;
        check(list->GetAdapter(number, uuidof<IDXCoreAdapter>(), adapter.put_void()),
              "taking an adapter");
        Adapter description = describe(adapter.get());
        found.candidates.push_back({std::move(adapter), std::move(description)});
    }
    return {};
}

}  // namespace dmlindex::d3d12
