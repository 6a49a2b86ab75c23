// The sizes of this machine's caches, which several choices depend on.
#pragma once

#include <cstdint>

namespace dmlindex::cpu {

inline constexpr std::int64_t kCacheLineBytes = 64;

struct Caches {
    std::int64_t l2_bytes;
    // From here on, writing past the caches pays where nobody reads the result at once, and costs
    // nothing where somebody does: 8 times L2. Of shorter ones the next call often finds the memory
    // in a cache.
    std::int64_t streamed_bytes;
    // From here on, fetching ahead beats the quickest kernels. In theory that is where the last
    // level ends, but that is shared, and virtual machines report their host's; measured, it is
    // some 16 times L2.
    std::int64_t far_bytes;
};

const Caches& caches() noexcept;

}  // namespace dmlindex::cpu
