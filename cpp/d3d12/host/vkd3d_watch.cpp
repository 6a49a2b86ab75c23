#include "d3d12/host/vkd3d_watch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <string_view>
#include <thread>

#include "d3d12/host/atomic_adds.hpp"

namespace dmlindex::d3d12::vkd3d {
namespace {

std::atomic<std::uint64_t> count{0};
std::atomic<std::int32_t> last{0};

std::int32_t noted(std::int32_t result) noexcept {
    if (result < 0) {
        last.store(result);
        count.fetch_add(1);
    }
    return result;
}

// The loader's, for any device.
std::atomic<vulkan::GetInstanceProcAddr> get_function{nullptr};
std::atomic<vulkan::GetDeviceProcAddr> get_device_function{nullptr};
std::atomic<vulkan::QueueSubmit> queue_submit{nullptr};
std::atomic<vulkan::CreateBufferView> create_buffer_view{nullptr};
std::atomic<vulkan::CreateDevice> create_device{nullptr};
std::atomic<vulkan::CreateShaderModule> create_shader_module{nullptr};

// Of one NextSubmission at a time. Not thread-local: where memory runs out, glibc ends the process
// that has none for a module's.
std::mutex next_mutex;
std::atomic<std::thread::id> next_thread;  // that submits; no thread where there is none
vulkan::Fence next_fence = nullptr;        // that thread's alone

std::int32_t watched_submit(vulkan::Queue queue, std::uint32_t submit_count, const void* submits,
                            vulkan::Fence fence) {
    const bool takes_next = fence == nullptr && submit_count != 0 &&
                            next_thread.load() == std::this_thread::get_id() &&
                            next_fence != nullptr;
    const std::int32_t result =
        noted(queue_submit.load()(queue, submit_count, submits, takes_next ? next_fence : fence));
    if (takes_next && result >= 0) next_fence = nullptr;
    return result;
}

std::int32_t watched_view(vulkan::Device device, const void* info, const void* allocator,
                          void* view) {
    return noted(create_buffer_view.load()(device, info, allocator, view));
}

// vkd3d takes extensions, but not what a device has to be told of them.
std::int32_t watched_device(vulkan::PhysicalDevice physical, const vulkan::DeviceCreateInfo* info,
                            const void* allocator, vulkan::Device* device) {
    vulkan::DeviceCreateInfo more = *info;
    const auto* const end = info->extensions + info->extension_count;
    const auto add = [&](const char* extension, auto& features) {
        if (std::find(info->extensions, end, std::string_view(extension)) == end) return;
        features.next = more.next;
        more.next = &features;
    };
    vulkan::AtomicFloatFeatures floats{};
    floats.type = vulkan::kAtomicFloatFeatures;
    floats.image_atomics = floats.image_adds = 1;
    add(vulkan::kAtomicFloatExtension, floats);
    vulkan::OneFeature vectors{vulkan::kAtomicHalvesFeatures, nullptr, 1};
    add(vulkan::kAtomicHalvesExtension, vectors);
    vulkan::TwoFeatures halves{vulkan::kHalfFeatures, nullptr, {1, 0}};
    add(vulkan::kHalfExtension, halves);
    return create_device.load()(physical, &more, allocator, device);
}

std::int32_t watched_module(vulkan::Device device, const vulkan::ShaderModuleCreateInfo* info,
                            const void* allocator, void* module) try {
    const std::vector<std::uint32_t> code =
        with_atomic_adds({info->code, info->code_bytes / sizeof(std::uint32_t)});
    vulkan::ShaderModuleCreateInfo adding = *info;
    adding.code = code.data();
    adding.code_bytes = code.size() * sizeof(std::uint32_t);
    return create_shader_module.load()(device, code.empty() ? info : &adding, allocator, module);
} catch (const std::bad_alloc&) {
    return vulkan::kOutOfHostMemory;
}

vulkan::Function watched_device_function(vulkan::Device device, const char* name) {
    if (std::strcmp(name, "vkQueueSubmit") == 0 && queue_submit.load() != nullptr) {
        return reinterpret_cast<vulkan::Function>(watched_submit);
    }
    if (std::strcmp(name, "vkCreateBufferView") == 0 && create_buffer_view.load() != nullptr) {
        return reinterpret_cast<vulkan::Function>(watched_view);
    }
    if (std::strcmp(name, "vkCreateShaderModule") == 0 && create_shader_module.load() != nullptr) {
        return reinterpret_cast<vulkan::Function>(watched_module);
    }
    return get_device_function.load()(device, name);
}

template <typename Entry>
void find(std::atomic<Entry>& entry, vulkan::Instance instance, const char* name) {
    entry.store(reinterpret_cast<Entry>(get_function.load()(instance, name)));
}

vulkan::Function watched_function(vulkan::Instance instance, const char* name) {
    if (instance != nullptr && std::strcmp(name, "vkCreateDevice") == 0) {
        find(create_device, instance, name);
        return create_device.load() == nullptr ? nullptr
                                               : reinterpret_cast<vulkan::Function>(watched_device);
    }
    if (instance == nullptr || std::strcmp(name, "vkGetDeviceProcAddr") != 0) {
        return get_function.load()(instance, name);
    }
    find(queue_submit, instance, "vkQueueSubmit");
    find(create_buffer_view, instance, "vkCreateBufferView");
    find(create_shader_module, instance, "vkCreateShaderModule");
    find(get_device_function, instance, name);
    return get_device_function.load() == nullptr
               ? nullptr
               : reinterpret_cast<vulkan::Function>(watched_device_function);
}

}  // namespace

vulkan::GetInstanceProcAddr watched(vulkan::GetInstanceProcAddr get) noexcept {
    get_function.store(get);
    return watched_function;
}

Failures failures() noexcept { return {count.load(), last.load()}; }

NextSubmission::NextSubmission(vulkan::Fence fence) : lock_(next_mutex) {
    next_fence = fence;
    next_thread.store(std::this_thread::get_id());
}

NextSubmission::~NextSubmission() { next_thread.store(std::thread::id()); }

bool NextSubmission::took_fence() const noexcept { return next_fence == nullptr; }

}  // namespace dmlindex::d3d12::vkd3d
