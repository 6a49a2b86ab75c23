// The few Vulkan declarations it takes to list physical devices and wait for a queue, so that no
// Vulkan header is needed to build. Names and layouts are those of the Vulkan 1.2 specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "dmlindex/error.hpp"

namespace dmlindex::d3d12::vulkan {

using Instance = struct InstanceHandle*;
using PhysicalDevice = struct PhysicalDeviceHandle*;

inline constexpr std::uint32_t kPhysicalDeviceProperties2 = 1000059001;
inline constexpr std::uint32_t kPhysicalDeviceDriverProperties = 1000196000;
inline constexpr std::uint32_t kPhysicalDeviceFeatures2 = 1000059000;
inline constexpr std::uint32_t kAtomicFloatFeatures = 1000260000;
inline constexpr const char* kAtomicFloatExtension = "VK_EXT_shader_atomic_float";
inline constexpr std::uint32_t kAtomicHalvesFeatures = 1000563000;
inline constexpr const char* kAtomicHalvesExtension = "VK_NV_shader_atomic_float16_vector";
inline constexpr std::uint32_t kHalfFeatures = 1000082000;
inline constexpr const char* kHalfExtension = "VK_KHR_shader_float16_int8";
inline constexpr std::uint32_t kHalfPairs = 83;  // VK_FORMAT_R16G16_SFLOAT
inline constexpr std::uint32_t kTexelBufferAtomics = 0x20;
inline constexpr std::uint32_t kDeviceTypeCpu = 4;
inline constexpr std::uint32_t kHeapDeviceLocal = 1;
inline constexpr std::int32_t kOutOfHostMemory = -1;
inline constexpr std::int32_t kOutOfDeviceMemory = -2;

// Throws when result is a failure: kMemory where memory ran out, else kDevice. what says what was
// being done.
inline void check(std::int32_t result, const char* what) {
    if (result >= 0) return;
    const bool no_memory = result == kOutOfHostMemory || result == kOutOfDeviceMemory;
    throw Error(no_memory ? ErrorKind::kMemory : ErrorKind::kDevice,
                std::string("d3d12: ") + what + " failed with VkResult " + std::to_string(result));
}

struct Properties {
    std::uint32_t api_version;
    std::uint32_t driver_version;
    std::uint32_t vendor_id;
    std::uint32_t device_id;
    std::uint32_t device_type;
    char device_name[256];
    std::uint8_t cache_uuid[16];
    alignas(8) std::byte limits_and_sparse_properties[528];

    // Two of the limits.
    std::uint32_t max_texel_buffer_elements() const noexcept { return limit(20); }
    std::uint32_t max_compute_shared_memory_size() const noexcept { return limit(216); }

  private:
    std::uint32_t limit(std::size_t offset) const noexcept {
        std::uint32_t value;
        std::memcpy(&value, limits_and_sparse_properties + offset, sizeof value);
        return value;
    }
};
static_assert(sizeof(Properties) == 824);

struct Properties2 {
    std::uint32_t type;
    void* next;
    Properties properties;
};

struct DriverProperties {
    std::uint32_t type;
    void* next;
    std::uint32_t driver_id;
    char driver_name[256];
    char driver_info[256];
    std::uint8_t conformance_version[4];
};

struct Features2 {
    std::uint32_t type;
    void* next;
    std::uint32_t features[55];
};

// Of buffers, groups' memory and images; texel buffers are among the images.
struct AtomicFloatFeatures {
    std::uint32_t type;
    const void* next;
    std::uint32_t others[8];
    std::uint32_t image_atomics;
    std::uint32_t image_adds;
    std::uint32_t sparse_images[2];
};

// Of extensions that have no more.
struct OneFeature {
    std::uint32_t type;
    const void* next;
    std::uint32_t there;
};

struct TwoFeatures {
    std::uint32_t type;
    const void* next;
    std::uint32_t there[2];
};

struct FormatProperties {
    std::uint32_t linear;
    std::uint32_t optimal;
    std::uint32_t buffer;
};

struct DeviceCreateInfo {
    std::uint32_t type;
    const void* next;
    std::uint32_t flags;
    std::uint32_t queue_count;
    const void* queues;
    std::uint32_t layer_count;
    const char* const* layers;
    std::uint32_t extension_count;
    const char* const* extensions;
    const void* features;
};

struct ShaderModuleCreateInfo {
    std::uint32_t type;
    const void* next;
    std::uint32_t flags;
    std::size_t code_bytes;
    const std::uint32_t* code;
};

struct MemoryProperties {
    std::uint32_t type_count;
    struct {
        std::uint32_t flags;
        std::uint32_t heap;
    } types[32];
    std::uint32_t heap_count;
    struct {
        std::uint64_t size;
        std::uint32_t flags;
    } heaps[16];
};
static_assert(sizeof(MemoryProperties) == 520);

using Function = void (*)();
using GetInstanceProcAddr = Function (*)(Instance, const char*);
using EnumeratePhysicalDevices = std::int32_t (*)(Instance, std::uint32_t*, PhysicalDevice*);
using GetPhysicalDeviceProperties = void (*)(PhysicalDevice, Properties*);
using GetPhysicalDeviceProperties2 = void (*)(PhysicalDevice, Properties2*);
using GetPhysicalDeviceFeatures2 = void (*)(PhysicalDevice, Features2*);
using GetPhysicalDeviceMemoryProperties = void (*)(PhysicalDevice, MemoryProperties*);
using GetPhysicalDeviceFormatProperties = void (*)(PhysicalDevice, std::uint32_t,
                                                   FormatProperties*);

using Device = struct DeviceHandle*;
using Queue = struct QueueHandle*;
using Fence = struct FenceHandle*;  // a pointer only where those have 64 bits
static_assert(sizeof(Fence) == 8);

inline constexpr std::uint32_t kFenceCreateInfo = 8;

struct FenceCreateInfo {
    std::uint32_t type;
    const void* next;
    std::uint32_t flags;
};

using GetDeviceProcAddr = Function (*)(Device, const char*);
using CreateFence = std::int32_t (*)(Device, const FenceCreateInfo*, const void*, Fence*);
using DestroyFence = void (*)(Device, Fence, const void*);
using ResetFences = std::int32_t (*)(Device, std::uint32_t, const Fence*);
using GetFenceStatus = std::int32_t (*)(Device, Fence);
using WaitForFences = std::int32_t (*)(Device, std::uint32_t, const Fence*, std::uint32_t,
                                       std::uint64_t);
using CreateBufferView = std::int32_t (*)(Device, const void*, const void*, void*);
using CreateDevice = std::int32_t (*)(PhysicalDevice, const DeviceCreateInfo*, const void*,
                                      Device*);
using CreateShaderModule = std::int32_t (*)(Device, const ShaderModuleCreateInfo*, const void*,
                                            void*);
using QueueSubmit = std::int32_t (*)(Queue, std::uint32_t, const void*, Fence);

}  // namespace dmlindex::d3d12::vulkan
