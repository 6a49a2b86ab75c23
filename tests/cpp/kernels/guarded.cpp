#include "guarded.hpp"

#include <new>

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace dmlindex::test {
namespace {

#ifdef _WIN32

std::int64_t page_bytes() {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return static_cast<std::int64_t>(info.dwPageSize);
}

std::byte* reserve(std::int64_t bytes) {
    return static_cast<std::byte*>(
        VirtualAlloc(nullptr, static_cast<SIZE_T>(bytes), MEM_RESERVE, PAGE_NOACCESS));
}

bool open(std::byte* from, std::int64_t bytes) {
    return VirtualAlloc(from, static_cast<SIZE_T>(bytes), MEM_COMMIT, PAGE_READWRITE) != nullptr;
}

void release(std::byte* from, std::int64_t) { VirtualFree(from, 0, MEM_RELEASE); }

#else

std::int64_t page_bytes() { return sysconf(_SC_PAGESIZE); }

std::byte* reserve(std::int64_t bytes) {
    void* const pages = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}

bool open(std::byte* from, std::int64_t bytes) {
    return mprotect(from, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE) == 0;
}

void release(std::byte* from, std::int64_t bytes) { munmap(from, static_cast<std::size_t>(bytes)); }

#endif

}  // namespace

GuardedPages::GuardedPages(std::int64_t bytes) : page_bytes_(page_bytes()) {
    bytes_ = (bytes + page_bytes_ - 1) / page_bytes_ * page_bytes_;
    std::byte* const pages = reserve(bytes_ + 2 * page_bytes_);
    if (pages == nullptr) throw std::bad_alloc();
    begin_ = pages + page_bytes_;
    if (!open(begin_, bytes_)) throw std::bad_alloc();
}

GuardedPages::~GuardedPages() { release(begin_ - page_bytes_, bytes_ + 2 * page_bytes_); }

}  // namespace dmlindex::test
