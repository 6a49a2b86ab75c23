#include "cpu/kernels/caches.hpp"

#if defined(_WIN32)
#include <windows.h>

#include <vector>
#elif defined(__linux__)
#include <unistd.h>
#endif

namespace dmlindex::cpu {
namespace {

// 0, where the system does not say.
std::int64_t find_l2_bytes() {
#if defined(_WIN32)
    DWORD bytes = 0;
    GetLogicalProcessorInformation(nullptr, &bytes);
    using Fact = SYSTEM_LOGICAL_PROCESSOR_INFORMATION;
    std::vector<Fact> facts(bytes / sizeof(Fact));
    if (facts.empty() || GetLogicalProcessorInformation(facts.data(), &bytes) == 0) return 0;
    for (const Fact& fact : facts) {
        if (fact.Relationship == RelationCache && fact.Cache.Level == 2) return fact.Cache.Size;
    }
    return 0;
#elif defined(_SC_LEVEL2_CACHE_SIZE)
    return sysconf(_SC_LEVEL2_CACHE_SIZE);
#else
    return 0;
#endif
}

Caches measure() {
    constexpr std::int64_t kUsual = 512 << 10;
    const std::int64_t found = find_l2_bytes();
    const std::int64_t l2_bytes = found > 0 ? found : kUsual;
    return {l2_bytes, 8 * l2_bytes, 16 * l2_bytes};
}

}  // namespace

const Caches& caches() noexcept {
    static const Caches sizes = measure();
    return sizes;
}

}  // namespace dmlindex::cpu
