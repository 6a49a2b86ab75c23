// Linux: libvkd3d, which is D3D12 over Vulkan. Every Vulkan device is an adapter.

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "d3d12/host/loader.hpp"
#include "d3d12/host/loader_library.hpp"
#include "d3d12/host/vkd3d.hpp"
#include "d3d12/host/vkd3d_watch.hpp"
#include "d3d12/host/vulkan.hpp"

namespace dmlindex::d3d12 {
namespace {

// vkd3d prints what it misses unless told not to.
void set_verbosity() {
    const char* const level = wants_debug_messages() ? "warn" : "none";
    setenv("VKD3D_DEBUG", level, 0);
    setenv("VKD3D_SHADER_DEBUG", level, 0);
}

// Its methods follow Windows' calling convention in older versions and Linux's in newer ones, and
// nothing in the library says which: a wrong guess is a crash. It has no soname of a version
// either.
std::string about_vkd3d_proton() {
    constexpr const char* kName = "libvkd3d-proton-d3d12.so";
    if (find_library(kName).empty()) return {};
    return std::string("; ") + kName + " is here, but is no substitute, as its binary interface " +
           "differs from version to version";
}

// vkd3d wants to know how events are signalled; there are none (timeline_vkd3d.cpp says why).
HRESULT no_event(HANDLE) { return S_OK; }

// The Vulkan functions that tell about physical devices.
struct Vulkan {
    Vulkan(vulkan::GetInstanceProcAddr get, vulkan::Instance instance) {
        const auto find = [&](auto& entry, const char* name) {
            entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(get(instance, name));
        };
        find(enumerate, "vkEnumeratePhysicalDevices");
        find(get_properties, "vkGetPhysicalDeviceProperties");
        find(get_properties2, "vkGetPhysicalDeviceProperties2KHR");
        find(get_features2, "vkGetPhysicalDeviceFeatures2KHR");
        find(get_memory, "vkGetPhysicalDeviceMemoryProperties");
        find(get_format, "vkGetPhysicalDeviceFormatProperties");
    }

    std::vector<vulkan::PhysicalDevice> devices(vulkan::Instance instance) const {
        constexpr const char* kWhat = "listing Vulkan's devices";
        std::uint32_t count = 0;
        vulkan::check(enumerate(instance, &count, nullptr), kWhat);
        std::vector<vulkan::PhysicalDevice> found(count);
        vulkan::check(enumerate(instance, &count, found.data()), kWhat);
        found.resize(count);
        return found;
    }

    Adapter describe(vulkan::PhysicalDevice device) const {
        vulkan::DriverProperties driver{};
        driver.type = vulkan::kPhysicalDeviceDriverProperties;
        vulkan::Properties2 all{};
        all.type = vulkan::kPhysicalDeviceProperties2;
        all.next = &driver;
        if (get_properties2 != nullptr) {
            get_properties2(device, &all);
        } else {
            get_properties(device, &all.properties);
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
        Adapter found{all.properties.device_name, driver_text, memory_bytes,
                      all.properties.device_type == vulkan::kDeviceTypeCpu};
        found.group_bytes = std::min<std::int64_t>(found.group_bytes,
                                                   all.properties.max_compute_shared_memory_size());
        found.view_texels =
            std::min<std::int64_t>(found.view_texels, all.properties.max_texel_buffer_elements());
        found.adds = adds_of(device);
        return found;
    }

  private:
    AtomicAdds adds_of(vulkan::PhysicalDevice device) const {
        if (get_features2 == nullptr) return {};
        // Left as they are by a driver that does not know them.
        vulkan::OneFeature vectors{vulkan::kAtomicHalvesFeatures, nullptr, 0};
        vulkan::TwoFeatures halves{vulkan::kHalfFeatures, &vectors, {}};
        vulkan::AtomicFloatFeatures floats{};
        floats.type = vulkan::kAtomicFloatFeatures;
        floats.next = &halves;
        vulkan::Features2 all{};
        all.type = vulkan::kPhysicalDeviceFeatures2;
        all.next = &floats;
        get_features2(device, &all);
        AtomicAdds found;
        found.floats = floats.image_atomics != 0 && floats.image_adds != 0;
        vulkan::FormatProperties pairs{};
        get_format(device, vulkan::kHalfPairs, &pairs);
        found.halves = vectors.there != 0 && halves.there[0] != 0 &&
                       (pairs.buffer & vulkan::kTexelBufferAtomics) != 0;
        return found;
    }

    vulkan::EnumeratePhysicalDevices enumerate;
    vulkan::GetPhysicalDeviceProperties get_properties;
    vulkan::GetPhysicalDeviceProperties2 get_properties2;
    vulkan::GetPhysicalDeviceFeatures2 get_features2;
    vulkan::GetPhysicalDeviceMemoryProperties get_memory;
    vulkan::GetPhysicalDeviceFormatProperties get_format;
};

}  // namespace

struct Library::Host {
    HRESULT (*create_instance)(const vkd3d::InstanceCreateInfo*, vkd3d::Instance**);
    vulkan::Instance (*get_vk_instance)(vkd3d::Instance*);
    HRESULT (*create_device)(const vkd3d::DeviceCreateInfo*, const IID*, void**);
    HRESULT(*serialize)
    (const D3D12_ROOT_SIGNATURE_DESC*, D3D_ROOT_SIGNATURE_VERSION, ID3DBlob**, ID3DBlob**);
    vkd3d::Instance* instance;
    std::vector<vulkan::PhysicalDevice> devices;
};

vkd3d::Libraries& vkd3d::libraries() noexcept {
    static Libraries opened;
    return opened;
}

std::string Library::load() {
    host_ = std::make_shared<Host>();
    set_verbosity();
    constexpr const char* kVulkan = "libvulkan.so.1";
    constexpr const char* kVkd3d = "libvkd3d.so.1";
    const Opened vulkan_library = open_library(kVulkan);
    const Opened library = open_library(kVkd3d, {"libvkd3d-shader.so.1"});
    std::string reason;
    if (vulkan_library.handle == nullptr) {
        reason = explain(kVulkan, vulkan_library,
                         "the Vulkan loader (Debian: libvulkan1) and a Vulkan driver "
                         "(mesa-vulkan-drivers has one that needs no GPU)");
    }
    if (library.handle == nullptr) {
        if (!reason.empty()) reason += "; ";
        reason += explain(kVkd3d, library, "vkd3d (Debian: libvkd3d1)") + about_vkd3d_proton();
    }
    if (!reason.empty()) return reason;
    vkd3d::libraries() = {library.handle, vulkan_library.handle};

    auto find = [&](auto& entry, const char* name) {
        entry =
            reinterpret_cast<std::remove_reference_t<decltype(entry)>>(dlsym(library.handle, name));
        return entry != nullptr;
    };
    Host& host = *host_;
    if (!find(host.create_instance, "vkd3d_create_instance") ||
        !find(host.get_vk_instance, "vkd3d_instance_get_vk_instance") ||
        !find(host.create_device, "vkd3d_create_device") ||
        !find(host.serialize, "vkd3d_serialize_root_signature")) {
        return "libvkd3d.so.1 lacks functions of version 1.2: install a newer vkd3d";
    }
    auto get_proc = reinterpret_cast<vulkan::GetInstanceProcAddr>(
        dlsym(vulkan_library.handle, "vkGetInstanceProcAddr"));

    vkd3d::ApplicationInfo application{};
    application.type = vkd3d::kApplicationInfo;
    application.application_name = "dmlindex";
    application.api_version = vkd3d::kApiVersion1_2;
    vkd3d::InstanceCreateInfo info{};
    info.type = vkd3d::kInstanceCreateInfo;
    info.next = &application;
    info.signal_event = no_event;
    info.wchar_size = sizeof(wchar_t);
    info.get_instance_proc_addr = get_proc == nullptr ? nullptr : vkd3d::watched(get_proc);
    const HRESULT created =
        get_proc == nullptr ? E_FAIL : host.create_instance(&info, &host.instance);
    if (created == E_OUTOFMEMORY) check(created, "starting Vulkan");
    if (FAILED(created)) {
        return "vkd3d could not start Vulkan: install a Vulkan driver (Debian: mesa-vulkan-drivers "
               "has one that needs no GPU)";
    }

    const vulkan::Instance instance = host.get_vk_instance(host.instance);
    const Vulkan vulkan(get_proc, instance);
    host.devices = vulkan.devices(instance);
    for (const vulkan::PhysicalDevice device : host.devices) {
        adapters_.push_back(vulkan.describe(device));
    }
    if (adapters_.empty()) {
        return "Vulkan has no device: install a driver for the GPU, or one that needs none "
               "(Debian: mesa-vulkan-drivers)";
    }
    return {};
}

ComPtr<ID3D12Device> Library::create_device(int adapter) const {
    vkd3d::DeviceCreateInfo info{};
    info.type = vkd3d::kDeviceCreateInfo;
    info.minimum_feature_level = D3D_FEATURE_LEVEL_11_0;
    info.instance = host_->instance;
    info.physical_device = host_->devices[static_cast<std::size_t>(adapter)];
    const AtomicAdds& adds = adapters_[static_cast<std::size_t>(adapter)].adds;
    std::vector<const char*> extensions;
    if (adds.floats) extensions.push_back(vulkan::kAtomicFloatExtension);
    if (adds.halves) extensions.push_back(vulkan::kAtomicHalvesExtension);
    if (adds.halves) extensions.push_back(vulkan::kHalfExtension);
    info.extensions = extensions.data();
    info.extension_count = static_cast<std::uint32_t>(extensions.size());
    ComPtr<ID3D12Device> device;
    const IID id = uuidof<ID3D12Device>();
    check(host_->create_device(&info, &id, device.put_void()), "creating the device");
    return device;
}

ComPtr<ID3DBlob> Library::serialize(const D3D12_ROOT_SIGNATURE_DESC& desc) const {
    ComPtr<ID3DBlob> blob;
    check(host_->serialize(&desc, D3D_ROOT_SIGNATURE_VERSION_1, blob.put(), nullptr),
          "serializing a root signature");
    return blob;
}

}  // namespace dmlindex::d3d12
