/* For LD_PRELOAD: results of Vulkan and D3D12 that say that something failed, when they are told to. No driver
   fails on demand.

   While `faults_failing` is not 0, the next `faults_passing` calls go on and then so many fail with
   `faults_result`; each lowers its number. A call that fails is not made. Calls are those whose names contain one
   of `faults_names` (any, where there is none), and return a VkResult, where `faults_kind` is 0, or an HRESULT, where
   it is 1. `faults_last` is the
   name of the last one that failed. For `faults_busy` milliseconds from now on no fence says that it is done. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
#define COM __attribute__((ms_abi)) /* libvkd3d's methods are called as on Windows */
#else
#define COM
#endif

typedef intptr_t Word;
typedef void (*Function)(void);
/* More arguments than any has: those that were not given are passed on as they happen to lie there. */
#define TYPES Word, Word, Word, Word, Word, Word, Word, Word, Word, Word
#define PARAMETERS Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j

enum { kVulkan, kD3d12 };

atomic_long faults_passing, faults_failing, faults_kind, faults_busy;
atomic_int faults_result;
char faults_names[512], faults_last[64];

static int is_named(const char* name) {
    char names[sizeof faults_names];
    char* rest = NULL;
    strcpy(names, faults_names);
    if (names[0] == '\0') return 1;
    for (char* one = strtok_r(names, " ", &rest); one != NULL; one = strtok_r(NULL, " ", &rest)) {
        if (strstr(name, one) != NULL) return 1;
    }
    return 0;
}

static int fails(int kind, const char* name) {
    if (atomic_load(&faults_failing) <= 0 || atomic_load(&faults_kind) != kind) return 0;
    if (!is_named(name)) return 0;
    if (atomic_fetch_sub(&faults_passing, 1) > 0) return 0;
    if (atomic_fetch_sub(&faults_failing, 1) <= 0) return 0;
    snprintf(faults_last, sizeof faults_last, "%s", name);
    return 1;
}

/* Vulkan: each function that somebody asks for by name gets a wrapper of its own. */

typedef Word (*VulkanFunction)(TYPES);
#define EACH_OF_16(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) \
    X(n##8) X(n##9) X(n##a) X(n##b) X(n##c) X(n##d) X(n##e) X(n##f)
#define EACH(X) EACH_OF_16(X, 0x0) EACH_OF_16(X, 0x1) EACH_OF_16(X, 0x2) EACH_OF_16(X, 0x3) EACH_OF_16(X, 0x4)

static struct {
    char name[64];
    VulkanFunction function;
} vulkan[0x50];
static atomic_int vulkan_count;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* VK_NOT_READY or VK_TIMEOUT while fences are not done; waits as long as the caller would. */
static int is_busy(const char* name, Word nanoseconds, int* result) {
    static atomic_long until;
    const long busy = atomic_exchange(&faults_busy, 0);
    if (busy != 0) atomic_store(&until, now() + busy + 1); /* one more, as some of the current one is over */
    const int asks = strcmp(name, "vkGetFenceStatus") == 0, waits = strcmp(name, "vkWaitForFences") == 0;
    if ((!asks && !waits) || now() >= atomic_load(&until)) return 0;
    const long end = now() + (asks ? 0 : nanoseconds / 1000000);
    while (now() < end && now() < atomic_load(&until)) usleep(1000);
    *result = asks ? 1 : 2;
    return now() < atomic_load(&until);
}

static Word call_vulkan(int slot, PARAMETERS) {
    int result;
    if (fails(kVulkan, vulkan[slot].name)) return atomic_load(&faults_result);
    if (is_busy(vulkan[slot].name, e, &result)) return result;
    return vulkan[slot].function(ARGUMENTS);
}

#define WRAPPER(n) static Word vulkan_##n(PARAMETERS) { return call_vulkan(n, ARGUMENTS); }
EACH(WRAPPER)
#define NAME(n) vulkan_##n,
static const VulkanFunction wrappers[] = {EACH(NAME)};

static int gives_a_result(const char* name) {
    static const char* const starts[] = {"vkCreate", "vkAllocate", "vkBind", "vkMap", "vkQueue", "vkBegin", "vkEnd",
                                         "vkReset", "vkWait", "vkFlush", "vkInvalidate", "vkEnumerate",
                                         "vkGetFenceStatus", "vkGetQueryPoolResults", "vkSignal", "vkMerge",
                                         "vkGetPhysicalDeviceImageFormatProperties", "vkGetSemaphoreCounterValue"};
    for (size_t n = 0; n < sizeof starts / sizeof *starts; ++n) {
        if (strncmp(name, starts[n], strlen(starts[n])) == 0) return 1;
    }
    return 0;
}

static Function wrapped(const char* name, Function function) {
    const int count = atomic_load(&vulkan_count);
    if (function == NULL || !gives_a_result(name)) return function;
    for (int slot = 0; slot < count; ++slot) {
        if (vulkan[slot].function == (VulkanFunction)function) return (Function)wrappers[slot];
    }
    const int slot = atomic_fetch_add(&vulkan_count, 1);
    if (slot >= (int)(sizeof wrappers / sizeof *wrappers)) abort(); /* more slots are wanted */
    snprintf(vulkan[slot].name, sizeof vulkan[slot].name, "%s", name);
    vulkan[slot].function = (VulkanFunction)function;
    return (Function)wrappers[slot];
}

typedef Function (*Get)(void*, const char*);
static Get get_of_instance, get_of_device;
static Function get_device_function(void* device, const char* name);
static Function get_instance_function(void* instance, const char* name) {
    if (strcmp(name, "vkGetInstanceProcAddr") == 0) return (Function)get_instance_function;
    const Function found = get_of_instance(instance, name);
    if (strcmp(name, "vkGetDeviceProcAddr") != 0) return wrapped(name, found);
    get_of_device = (Get)found;
    return (Function)get_device_function;
}
static Function get_device_function(void* device, const char* name) { return wrapped(name, get_of_device(device, name)); }

/* D3D12: in the tables of methods, which all objects of an interface share, other methods take the place of those
   that return an HRESULT. */

typedef Word(COM* Method)(TYPES);
enum { kDevice, kQueue, kAllocator, kList, kResource, kOther, kInterfaces = kOther };
static const struct {
    const char* name;
    int interface, slot;
    int makes, at; /* an object of that interface, to where that argument points */
} methods[] = {
    {"ID3D12Device::CreateCommandQueue", kDevice, 8, kQueue, 3},
    {"ID3D12Device::CreateCommandAllocator", kDevice, 9, kAllocator, 3},
    {"ID3D12Device::CreateComputePipelineState", kDevice, 11, kOther, 0},
    {"ID3D12Device::CreateCommandList", kDevice, 12, kList, 6},
    {"ID3D12Device::CreateDescriptorHeap", kDevice, 14, kOther, 0},
    {"ID3D12Device::CreateRootSignature", kDevice, 16, kOther, 0},
    {"ID3D12Device::CreateCommittedResource", kDevice, 27, kResource, 7},
    {"ID3D12Device::CreateQueryHeap", kDevice, 39, kOther, 0},
    {"ID3D12CommandQueue::GetTimestampFrequency", kQueue, 16, kOther, 0},
    {"ID3D12CommandAllocator::Reset", kAllocator, 8, kOther, 0},
    {"ID3D12GraphicsCommandList::Close", kList, 9, kOther, 0},
    {"ID3D12GraphicsCommandList::Reset", kList, 10, kOther, 0},
    {"ID3D12Resource::Map", kResource, 8, kOther, 0},
};
enum { kMethods = sizeof methods / sizeof *methods };
static Method replaced[kMethods];
static void replace_methods(int interface, void* object);

static Word call_method(int n, PARAMETERS) {
    if (fails(kD3d12, methods[n].name)) return (Word)(uint32_t)atomic_load(&faults_result);
    const Word result = replaced[n](ARGUMENTS);
    const Word arguments[] = {ARGUMENTS};
    if ((int32_t)result >= 0 && methods[n].makes != kOther) {
        replace_methods(methods[n].makes, *(void**)arguments[methods[n].at]);
    }
    return result;
}

#define METHOD(n) static Word COM method_##n(PARAMETERS) { return call_method(n, ARGUMENTS); }
EACH_OF_16(METHOD, 0x0)
#undef NAME
#define NAME(n) method_##n,
static const Method replacements[] = {EACH_OF_16(NAME, 0x0)};

static void replace_methods(int interface, void* object) {
    static void* done[kInterfaces];
    Method* const table = *(Method**)object;
    if (done[interface] == table) return;
    done[interface] = table;
    const Word page = sysconf(_SC_PAGESIZE), begin = (Word)table & -page;
    mprotect((void*)begin, (size_t)((Word)(table + 64) - begin), PROT_READ | PROT_WRITE);
    for (int n = 0; n < kMethods; ++n) {
        if (methods[n].interface != interface) continue;
        replaced[n] = table[methods[n].slot];
        table[methods[n].slot] = replacements[n];
    }
}

static int32_t (*create_device)(const void*, const void*, void**);
static int32_t create_device_or_fail(const void* info, const void* id, void** device) {
    if (fails(kD3d12, "vkd3d_create_device")) return atomic_load(&faults_result);
    const int32_t result = create_device(info, id, device);
    if (result >= 0) replace_methods(kDevice, *device);
    return result;
}

static int32_t (*create_instance)(const void*, void**);
static int32_t create_instance_or_fail(const void* info, void** instance) {
    return fails(kD3d12, "vkd3d_create_instance") ? atomic_load(&faults_result) : create_instance(info, instance);
}

static int32_t (*serialize)(const void*, int, void**, void**);
static int32_t serialize_or_fail(const void* desc, int version, void** blob, void** errors) {
    if (fails(kD3d12, "vkd3d_serialize_root_signature")) return atomic_load(&faults_result);
    return serialize(desc, version, blob, errors);
}

void* dlsym(void* library, const char* name) {
    static void* (*find)(void*, const char*);
    if (find == NULL) find = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (find == NULL) find = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"); /* x86-64 */
    if (find == NULL) find = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");  /* aarch64 */
    void* const found = find(library, name);
    if (found == NULL) return NULL;
#define REPLACE(wanted, kept, replacement)           \
    if (strcmp(name, wanted) == 0) {                 \
        kept = (__typeof__(kept))found;              \
        return (void*)replacement;                   \
    }
    REPLACE("vkGetInstanceProcAddr", get_of_instance, get_instance_function)
    REPLACE("vkGetDeviceProcAddr", get_of_device, get_device_function)
    REPLACE("vkd3d_create_device", create_device, create_device_or_fail)
    REPLACE("vkd3d_create_instance", create_instance, create_instance_or_fail)
    REPLACE("vkd3d_serialize_root_signature", serialize, serialize_or_fail)
    return found;
}
