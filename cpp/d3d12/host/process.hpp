// Which process uses D3D12. What its libraries and drivers have set up is of no use in a child that
// is forked from it, and their locks may be held there by threads that the child doesn't have: so a
// child learns that first, without asking for any lock.
#pragma once

#include <atomic>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace dmlindex::d3d12 {

inline constexpr const char* kForked =
    "D3D12 was opened before a fork, and cannot be used in the child process; start processes with "
    "the method \"spawn\", or first use D3D12 after the fork";

inline int process_number() noexcept {
#ifdef _WIN32
    return 1;  // nothing forks
#else
    return static_cast<int>(getpid());
#endif
}

inline std::atomic<int> using_process = 0;  // the first that asked; 0: none has

// Whether this process may use D3D12: the first one that asks.
inline bool may_use_d3d12() noexcept {
    const int here = process_number();
    int user = 0;
    return using_process.compare_exchange_strong(user, here) || user == here;
}

}  // namespace dmlindex::d3d12
