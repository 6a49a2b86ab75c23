// Memory straight from the system: what is released goes back at once, as malloc does not promise.
#pragma once

#include <cstddef>

namespace dmlindex::binding {

// What sizes are rounded up to; a multiple of every page size in use.
inline constexpr std::size_t kPageBytes = 64 << 10;

// bytes is a multiple of kPageBytes. Null where there is no memory.
void* map_pages(std::size_t bytes) noexcept;
void unmap_pages(void* pages, std::size_t bytes) noexcept;

}  // namespace dmlindex::binding
