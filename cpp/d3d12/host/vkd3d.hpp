// libvkd3d's own API, as far as it is used: names and layouts of its version 1.2, which later ones
// keep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "d3d12/host/api.hpp"
#include "d3d12/host/vulkan.hpp"

namespace dmlindex::d3d12::vkd3d {

// What dlsym takes, once the loader has opened them.
struct Libraries {
    void* vkd3d = nullptr;
    void* vulkan = nullptr;
};
Libraries& libraries() noexcept;

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

}  // namespace dmlindex::d3d12::vkd3d
