// How many processors this process may run on.
#pragma once

#if defined(_WIN32)
#include <windows.h>
#elif defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <bit>
#include <thread>

namespace dmlindex {

inline int processors() noexcept {
#if defined(_WIN32)
    // 0, where the process has threads in several of the groups that Windows makes past 64.
    DWORD_PTR ours = 0;
    DWORD_PTR all = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &ours, &all) != 0 && ours != 0) {
        return std::popcount(static_cast<unsigned long long>(ours));
    }
#elif defined(__linux__)
    cpu_set_t ours;  // too small past 1024 processors
    if (sched_getaffinity(0, sizeof ours, &ours) == 0) return CPU_COUNT(&ours);
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace dmlindex
