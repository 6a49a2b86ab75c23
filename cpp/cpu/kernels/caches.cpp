#include "cpu/kernels/caches.hpp"

#ifdef __linux__
#include <unistd.h>
#endif

namespace dmlindex::cpu {
namespace {

Caches measure() noexcept {
    std::int64_t l2_bytes = 512 << 10;  // where the system does not say
#ifdef _SC_LEVEL2_CACHE_SIZE
    if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) l2_bytes = bytes;
#endif
    return {l2_bytes, 16 * l2_bytes};
}

}  // namespace

const Caches& caches() noexcept {
    static const Caches sizes = measure();
    return sizes;
}

}  // namespace dmlindex::cpu
