// Whether the system would start so many threads.
#pragma once

#ifndef _WIN32
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <memory>
#include <new>
#endif

namespace dmlindex {

#ifdef _WIN32

inline bool system_grants_threads(int) noexcept { return true; }

#else

// What a thread takes of the address space: a stack as large as any library's, and what malloc
// keeps for it, twice 64 MiB in glibc.
inline constexpr std::size_t kStackBytes = std::size_t{8} << 20;
inline constexpr std::size_t kThreadBytes = kStackBytes + (std::size_t{128} << 20);

inline bool system_grants_memory(std::size_t bytes) noexcept {
    void* const pages = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages != MAP_FAILED && munmap(pages, bytes) == 0;
}

// Looks for the memory, starts the threads, all at once, and ends them again.
inline bool system_grants_threads(int count) noexcept {
    constexpr std::size_t kOwnBytes = std::size_t{32} << 20;  // of the library, for all of them
    if (!system_grants_memory(static_cast<std::size_t>(count) * kThreadBytes + kOwnBytes))
        return false;
    const std::unique_ptr<pthread_t[]> threads(new (std::nothrow)
                                                   pthread_t[static_cast<std::size_t>(count)]);
    pthread_attr_t attributes;
    if (threads == nullptr || pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, kStackBytes);
    std::atomic<bool> done{false};
    const auto wait = [](void* told) -> void* {
        static_cast<std::atomic<bool>*>(told)->wait(false);
        return nullptr;
    };
    int started = 0;
    while (started < count && pthread_create(&threads[static_cast<std::size_t>(started)],
                                             &attributes, wait, &done) == 0) {
        ++started;
    }
    done.store(true);
    done.notify_all();
    for (int i = 0; i < started; ++i) {
        pthread_join(threads[static_cast<std::size_t>(i)], nullptr);
    }
    pthread_attr_destroy(&attributes);
    return started == count;
}

#endif

}  // namespace dmlindex
