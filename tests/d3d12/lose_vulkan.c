/* For LD_PRELOAD: who submits fences to Vulkan, or waits for them, learns that the device is lost, once
   there is a file "submit" or "wait" in the directory LOSE_VULKAN. No driver loses one on demand. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kDeviceLost = -4 };

typedef void (*Function)(void);
typedef int32_t (*Wait)(void* device, uint32_t count, const void* fences, uint32_t all, uint64_t ns);
typedef int32_t (*Status)(void* device, void* fence);
typedef int32_t (*Submit)(void* queue, uint32_t count, const void* submits, void* fence);

static Function (*get)(void*, const char*);
static Wait wait_for_fences;
static Status fence_status;
static Submit queue_submit;

static int is_lost(const char* where) {
    char path[4096];
    const char* const directory = getenv("LOSE_VULKAN");
    if (directory == NULL) return 0;
    snprintf(path, sizeof path, "%s/%s", directory, where);
    return access(path, F_OK) == 0;
}

static int32_t lose_wait(void* device, uint32_t count, const void* fences, uint32_t all, uint64_t ns) {
    return is_lost("wait") ? kDeviceLost : wait_for_fences(device, count, fences, all, ns);
}

static int32_t lose_status(void* device, void* fence) {
    return is_lost("wait") ? kDeviceLost : fence_status(device, fence);
}

static int32_t lose_submit(void* queue, uint32_t count, const void* submits, void* fence) {
    return is_lost("submit") ? kDeviceLost : queue_submit(queue, count, submits, fence);
}

static Function get_or_lose(void* device, const char* name) {
    const Function found = get(device, name);
    if (strcmp(name, "vkWaitForFences") == 0) {
        wait_for_fences = (Wait)found;
        return (Function)lose_wait;
    }
    if (strcmp(name, "vkGetFenceStatus") == 0) {
        fence_status = (Status)found;
        return (Function)lose_status;
    }
    if (strcmp(name, "vkQueueSubmit") == 0) {
        queue_submit = (Submit)found;
        return (Function)lose_submit;
    }
    return found;
}

void* dlsym(void* library, const char* name) {
    static void* (*find)(void*, const char*);
    if (find == NULL) find = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (find == NULL) find = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"); /* x86-64 */
    if (find == NULL) find = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");  /* aarch64 */
    void* const found = find(library, name);
    if (found == NULL || strcmp(name, "vkGetDeviceProcAddr") != 0) return found;
    get = (Function(*)(void*, const char*))found;
    return (void*)get_or_lose;
}
