#include "d3d12/loader.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "d3d12/vulkan.hpp"
#include "error.hpp"

namespace dmlindex::d3d12 {
namespace {

// libvkd3d's own API, as far as it is used: names and layouts of its version 1.2.
namespace vkd3d {

struct Instance;

enum StructureType { kInstanceCreateInfo = 0, kDeviceCreateInfo = 1, kApplicationInfo = 5 };
enum ApiVersion { kApiVersion1_2 = 2 };

struct ApplicationInfo {
    StructureType type;
    const void* next;
    const char* application_name;
    std::uint32_t application_version;
    const char* engine_name;
    std::uint32_t engine_version;
    ApiVersion api_version;
};

struct InstanceCreateInfo {
    StructureType type;
    const void* next;
    HRESULT (*signal_event)(HANDLE);
    void* create_thread;
    void* join_thread;
    std::size_t wchar_size;
    vulkan::GetInstanceProcAddr get_instance_proc_addr;
    const char* const* extensions;
    std::uint32_t extension_count;
};

struct DeviceCreateInfo {
    StructureType type;
    const void* next;
    D3D_FEATURE_LEVEL minimum_feature_level;
    Instance* instance;
    const InstanceCreateInfo* instance_create_info;
    vulkan::PhysicalDevice physical_device;
    const char* const* extensions;
    std::uint32_t extension_count;
    IUnknown* parent;
    LUID adapter_luid;
};

}  // namespace vkd3d

HRESULT signal_event(HANDLE handle) {
    static_cast<Event*>(handle)->signal();
    return S_OK;
}

// vkd3d prints what it misses unless told not to; DMLINDEX_D3D12_DEBUG=1 lets it.
void set_verbosity() {
    const char* debug = std::getenv("DMLINDEX_D3D12_DEBUG");
    const char* level = debug != nullptr && std::strcmp(debug, "1") == 0 ? "warn" : "none";
    setenv("VKD3D_DEBUG", level, 0);
    setenv("VKD3D_SHADER_DEBUG", level, 0);
}

}  // namespace

void check(HRESULT result, const char* what) {
    if (!FAILED(result)) return;
    char code[16];
    std::snprintf(code, sizeof code, "0x%08x", static_cast<unsigned>(result));
    bool no_memory = result == E_OUTOFMEMORY;
    throw Error(no_memory ? ErrorKind::kMemory : ErrorKind::kDevice,
                std::string("d3d12: ") + what + " failed with HRESULT " + code +
                    (no_memory ? " (out of memory)" : ""));
}

void Event::signal() {
    std::lock_guard lock(mutex_);
    signalled_ = true;
    changed_.notify_all();
}

bool Event::wait_for_milliseconds(int milliseconds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(milliseconds),
                             [&] { return signalled_; });
}

struct Library::Entries {
    HRESULT (*create_instance)(const vkd3d::InstanceCreateInfo*, vkd3d::Instance**);
    vulkan::Instance (*get_vk_instance)(vkd3d::Instance*);
    HRESULT (*create_device)(const vkd3d::DeviceCreateInfo*, const IID*, void**);
    HRESULT(*serialize)
    (const D3D12_ROOT_SIGNATURE_DESC*, D3D_ROOT_SIGNATURE_VERSION, ID3DBlob**, ID3DBlob**);
    vkd3d::Instance* instance;
    std::vector<vulkan::PhysicalDevice> devices;
};

// Never destroyed: vkd3d's threads may outlive static destructors.
Library& Library::get() {
    static Library& library = *new Library;
    return library;
}

Library::Library() : entries_(std::make_shared<Entries>()), reason_(load()) {}

// Returns what is missing, or nothing.
std::string Library::load() {
    set_verbosity();
    void* loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (loader == nullptr) {
        return "libvulkan.so.1 is not here: install the Vulkan loader (Debian: libvulkan1) and a "
               "Vulkan "
               "driver (mesa-vulkan-drivers has one that needs no GPU)";
    }
    void* library = dlopen("libvkd3d.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return "libvkd3d.so.1 is not here: install vkd3d (Debian: libvkd3d1)";

    auto find = [&](auto& entry, const char* name) {
        entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(dlsym(library, name));
        return entry != nullptr;
    };
    Entries& entries = *entries_;
    if (!find(entries.create_instance, "vkd3d_create_instance") ||
        !find(entries.get_vk_instance, "vkd3d_instance_get_vk_instance") ||
        !find(entries.create_device, "vkd3d_create_device") ||
        !find(entries.serialize, "vkd3d_serialize_root_signature")) {
        return "libvkd3d.so.1 lacks functions of version 1.2: install a newer vkd3d";
    }
    auto get_proc =
        reinterpret_cast<vulkan::GetInstanceProcAddr>(dlsym(loader, "vkGetInstanceProcAddr"));

    vkd3d::ApplicationInfo application{};
    application.type = vkd3d::kApplicationInfo;
    application.application_name = "dmlindex";
    application.api_version = vkd3d::kApiVersion1_2;
    vkd3d::InstanceCreateInfo info{};
    info.type = vkd3d::kInstanceCreateInfo;
    info.next = &application;
    info.signal_event = signal_event;
    info.wchar_size = sizeof(wchar_t);
    info.get_instance_proc_addr = get_proc;
    if (get_proc == nullptr || FAILED(entries.create_instance(&info, &entries.instance))) {
        return "vkd3d could not start Vulkan: install a Vulkan driver (Debian: mesa-vulkan-drivers "
               "has one "
               "that needs no GPU)";
    }

    vulkan::Instance instance = entries.get_vk_instance(entries.instance);
    auto function = [&](auto& entry, const char* name) {
        entry =
            reinterpret_cast<std::remove_reference_t<decltype(entry)>>(get_proc(instance, name));
    };
    vulkan::EnumeratePhysicalDevices enumerate;
    vulkan::GetPhysicalDeviceProperties get_properties;
    vulkan::GetPhysicalDeviceProperties2 get_properties2;
    vulkan::GetPhysicalDeviceMemoryProperties get_memory;
    function(enumerate, "vkEnumeratePhysicalDevices");
    function(get_properties, "vkGetPhysicalDeviceProperties");
    function(get_properties2, "vkGetPhysicalDeviceProperties2KHR");
    function(get_memory, "vkGetPhysicalDeviceMemoryProperties");

    std::uint32_t count = 0;
    enumerate(instance, &count, nullptr);
    entries.devices.resize(count);
    enumerate(instance, &count, entries.devices.data());
    entries.devices.resize(count);
    for (vulkan::PhysicalDevice device : entries.devices) {
        vulkan::DriverProperties driver{};
        driver.type = vulkan::kPhysicalDeviceDriverProperties;
        vulkan::Properties2 properties{};
        properties.type = vulkan::kPhysicalDeviceProperties2;
        properties.next = &driver;
        if (get_properties2 != nullptr) {
            get_properties2(device, &properties);
        } else {
            get_properties(device, &properties.properties);
        }
        vulkan::MemoryProperties memory{};
        get_memory(device, &memory);
        std::uint64_t memory_bytes = 0;
        for (std::uint32_t heap = 0; heap < memory.heap_count; ++heap) {
            if ((memory.heaps[heap].flags & vulkan::kHeapDeviceLocal) != 0) {
                memory_bytes += memory.heaps[heap].size;
            }
        }
        std::string driver_text = driver.driver_name;
        if (driver.driver_info[0] != 0) driver_text += std::string(" ") + driver.driver_info;
        adapters_.push_back({properties.properties.device_name, driver_text, memory_bytes,
                             properties.properties.device_type == vulkan::kDeviceTypeCpu});
    }
    if (adapters_.empty()) {
        return "Vulkan has no device: install a driver for the GPU, or one that needs none "
               "(Debian: "
               "mesa-vulkan-drivers)";
    }
    return {};
}

ComPtr<ID3D12Device> Library::create_device(int adapter) const {
    vkd3d::DeviceCreateInfo info{};
    info.type = vkd3d::kDeviceCreateInfo;
    info.minimum_feature_level = D3D_FEATURE_LEVEL_11_0;
    info.instance = entries_->instance;
    info.physical_device = entries_->devices[static_cast<std::size_t>(adapter)];
    ComPtr<ID3D12Device> device;
    const IID id = uuidof<ID3D12Device>();
    check(entries_->create_device(&info, &id, device.put_void()), "creating the device");
    return device;
}

ComPtr<ID3DBlob> Library::serialize(const D3D12_ROOT_SIGNATURE_DESC& desc) const {
    ComPtr<ID3DBlob> blob;
    check(entries_->serialize(&desc, D3D_ROOT_SIGNATURE_VERSION_1, blob.put(), nullptr),
          "serializing a root signature");
    return blob;
}

const std::vector<Adapter>& list_adapters(std::string& reason) {
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
