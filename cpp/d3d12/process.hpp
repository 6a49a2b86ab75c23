// Which process this is: a device opened before a fork is of no use in the child.
#pragma once

#ifndef _WIN32
#include <unistd.h>
#endif

namespace dmlindex::d3d12 {

inline int process_number() noexcept {
#ifdef _WIN32
    return 0;  // nothing forks
#else
    return static_cast<int>(getpid());
#endif
}

}  // namespace dmlindex::d3d12
