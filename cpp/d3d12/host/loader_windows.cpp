// Windows: d3d12.dll and dxgi.dll. WARP, the software adapter, is one of DXGI's.

#include "d3d12/host/microsoft.hpp"

namespace dmlindex::d3d12 {
namespace {

template <typename Entry>
bool find(HMODULE library, const char* name, Entry& entry) {
    // By way of void*: the types are not related, as the compiler would warn.
    entry = reinterpret_cast<Entry>(reinterpret_cast<void*>(GetProcAddress(library, name)));
    return entry != nullptr;
}

// Adds to reason why it is not open.
HMODULE open_system_library(const wchar_t* name, const char* readable_name, std::string& reason) {
    const HMODULE library = LoadLibraryExW(name, nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (library != nullptr) return library;
    const DWORD error = GetLastError();
    if (!reason.empty()) reason += "; ";
    reason += readable_name;
    if (error == ERROR_MOD_NOT_FOUND || error == ERROR_FILE_NOT_FOUND) {
        reason += " is not here, or needs what is not here: D3D12 takes Windows 10 or newer";
    } else {
        reason += " is here, but cannot be loaded (Windows' error " + std::to_string(error) +
                  "): repair Windows' system files (sfc /scannow)";
    }
    return nullptr;
}

std::string utf8(const wchar_t* text) {
    const int bytes = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
    if (bytes <= 0) return {};
    std::string result(static_cast<std::size_t>(bytes), '\0');
    WideCharToMultiByte(CP_UTF8, 0, text, -1, result.data(), bytes, nullptr, nullptr);
    result.pop_back();  // the terminating zero
    return result;
}

// The driver's version, as Windows shows it; empty if the adapter does not tell.
std::string driver_version(IDXGIAdapter1* adapter) {
    LARGE_INTEGER version{};
    if (FAILED(adapter->CheckInterfaceSupport(__uuidof(IDXGIDevice), &version))) return {};
    const auto part = [](LONG word, int shift) {
        return std::to_string(static_cast<DWORD>(word) >> shift & 0xffff);
    };
    return part(version.HighPart, 16) + "." + part(version.HighPart, 0) + "." +
           part(static_cast<LONG>(version.LowPart), 16) + "." +
           part(static_cast<LONG>(version.LowPart), 0);
}

Adapter describe(IDXGIAdapter1* adapter) {
    DXGI_ADAPTER_DESC1 desc{};
    check(adapter->GetDesc1(&desc), "describing an adapter");
    const bool is_software = (desc.Flags & DXGI_ADAPTER_FLAG_SOFTWARE) != 0;
    const std::uint64_t memory_bytes =
        desc.DedicatedVideoMemory != 0 ? desc.DedicatedVideoMemory : desc.SharedSystemMemory;
    return {utf8(desc.Description), driver_version(adapter), memory_bytes, is_software};
}

}  // namespace

struct Event::State {
    HANDLE handle;
};

Event::Event() : state_(std::make_unique<State>()) {
    state_->handle = CreateEventW(nullptr, FALSE, FALSE, nullptr);
    if (state_->handle == nullptr) check(E_OUTOFMEMORY, "creating an event");
}

Event::~Event() { CloseHandle(state_->handle); }

HANDLE Event::handle() noexcept { return state_->handle; }

bool Event::wait_for_milliseconds(int milliseconds) {
    return WaitForSingleObject(state_->handle, static_cast<DWORD>(milliseconds)) == WAIT_OBJECT_0;
}

std::string open_microsoft(Microsoft& found) {
    std::string reason;
    const HMODULE d3d12 = open_system_library(L"d3d12.dll", "d3d12.dll", reason);
    const HMODULE dxgi = open_system_library(L"dxgi.dll", "dxgi.dll", reason);
    if (!reason.empty()) return reason;
    HRESULT(WINAPI * create_factory)(REFIID, void**);
    if (!find(d3d12, "D3D12CreateDevice", found.create_device) ||
        !find(d3d12, "D3D12SerializeRootSignature", found.serialize) ||
        !find(dxgi, "CreateDXGIFactory1", create_factory)) {
        return "d3d12.dll or dxgi.dll lacks functions: D3D12 takes Windows 10 or newer";
    }
    find(d3d12, "D3D12GetDebugInterface", found.get_debug_interface);
    ComPtr<IDXGIFactory1> factory;
    check(create_factory(__uuidof(IDXGIFactory1), factory.put_void()), "starting DXGI");
    for (UINT number = 0;; ++number) {
        ComPtr<IDXGIAdapter1> adapter;
        if (FAILED(factory->EnumAdapters1(number, adapter.put()))) return {};
        Adapter description = describe(adapter.get());
        found.candidates.push_back({std::move(adapter), std::move(description)});
    }
}

}  // namespace dmlindex::d3d12
