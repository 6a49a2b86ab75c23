// Whether memory lies in a cache.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dmlindex::cpu {

// Whether bytes that are about to be written lie in a cache, by a look at some lines, which takes
// 6 µs; or will, as fewer than 1 MB do soon, and as the system clears pages when it gives them.
// They are left as they are. False where there is no way to tell.
bool are_in_caches(std::byte* first, std::int64_t bytes) noexcept;

}  // namespace dmlindex::cpu
