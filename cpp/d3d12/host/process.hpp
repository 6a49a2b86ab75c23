// Which process uses D3D12. What its libraries and drivers have set up is of no use in a child that
// is forked from it, and their locks may be held there by threads that the child doesn't have: so a
// child learns that first, without asking for any lock.
#pragma once

#include <atomic>

#ifndef _WIN32
#include <pthread.h>
#include <unistd.h>
#endif

namespace dmlindex::d3d12 {

inline constexpr const char* kForked =
    "D3D12 was opened before a fork, and cannot be used in the child process; start processes with "
    "the method \"spawn\", or first use D3D12 after the fork";

#ifdef _WIN32

inline int process_number() noexcept {
    return 1;  // nothing forks
}

#else

// Every call asks, and the system's answer takes a good part of the time that a queued one takes:
// so it is kept, and a child asks anew. 0: not known, as nobody would tell of a fork.
inline std::atomic<int> kept_process_number = 0;

inline void keep_process_number() noexcept {
    kept_process_number.store(static_cast<int>(getpid()), std::memory_order_relaxed);
}

inline const int watches_forks = [] {
    const int error = pthread_atfork(nullptr, nullptr, keep_process_number);
    if (error == 0) keep_process_number();
    return error;
}();

inline int process_number() noexcept {
    const int kept = kept_process_number.load(std::memory_order_relaxed);
    return kept != 0 ? kept : static_cast<int>(getpid());
}

#endif

inline std::atomic<int> using_process = 0;  // the first that asked; 0: none has

// Whether this process may use D3D12: the first one that asks.
inline bool may_use_d3d12() noexcept {
    const int here = process_number();
    int user = 0;
    return using_process.compare_exchange_strong(user, here) || user == here;
}

}  // namespace dmlindex::d3d12
