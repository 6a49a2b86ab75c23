// Whether the system would start so many threads.
#pragma once

#ifndef _WIN32
#include <pthread.h>

#include <atomic>
#include <memory>
#include <new>
#endif

namespace dmlindex {

#ifdef _WIN32

inline bool system_grants_threads(int) noexcept { return true; }

#else

// Starts them, all at once and each with a stack as large as any library's, and ends them again.
inline bool system_grants_threads(int count) noexcept {
    constexpr std::size_t kStackBytes = 8 << 20;
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
