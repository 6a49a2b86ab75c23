#include "binding/arrays/page_memory.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#endif

namespace dmlindex::binding {

#ifdef _WIN32

void* map_pages(std::size_t bytes) noexcept {
    return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void unmap_pages(void* pages, std::size_t) noexcept { VirtualFree(pages, 0, MEM_RELEASE); }

#else

void* map_pages(std::size_t bytes) noexcept {
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
    // As NumPy does, from the same size on. The kernel may decline.
    constexpr std::size_t kHugeFromBytes = 4 << 20;
    if (bytes >= kHugeFromBytes) madvise(pages, bytes, MADV_HUGEPAGE);
#endif
    return pages;
}

void unmap_pages(void* pages, std::size_t bytes) noexcept { munmap(pages, bytes); }

#endif

}  // namespace dmlindex::binding
