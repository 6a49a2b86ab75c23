#include "cpu/kernels/in_caches.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <atomic>

#include "cpu/kernels/caches.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif
#endif

namespace dmlindex::cpu {

#if defined(__x86_64__)
namespace {

constexpr std::int64_t kLooks = 8;
constexpr std::int64_t kMostPageBytes = std::int64_t{64} << 10;  // of pages that are not huge
constexpr std::int64_t kNear = 2048;  // a place beside another in a page that no prefetch reaches

// False of memory that nobody has touched yet, or that is swapped out. It is left alone: threads
// have their pages cleared side by side.
bool has_page([[maybe_unused]] std::byte* page) noexcept {
#if defined(__linux__)
    unsigned char there = 1;
    return mincore(page, 1, &there) != 0 || (there & 1) != 0;
#else
    return true;
#endif
}

// Has the line for writing, as a store would, and leaves what is there.
void take(std::byte* line) noexcept { asm volatile("lock orb $0, (%0)" : : "r"(line) : "memory"); }

// In cycles of the processor's clock.
std::uint64_t time_to_take(std::byte* line) noexcept {
    const auto now = [] {
        _mm_lfence();
        const std::uint64_t cycles = __rdtsc();
        _mm_lfence();
        return cycles;
    };
    const std::uint64_t begin = now();
    take(line);
    return now() - begin;
}

}  // namespace

// A line is in a cache if it comes sooner than it does once it is thrown out of all of them.
bool are_in_caches(std::byte* first, std::int64_t bytes) noexcept {
    constexpr std::int64_t kLinesNear = kNear / kCacheLineBytes;
    if (bytes < 2 * kLooks * kMostPageBytes) return true;
    static std::atomic<std::int64_t> calls = 0;  // a look changes what the next would see there
    const std::int64_t line = kNear + calls.fetch_add(1) % kLinesNear * kCacheLineBytes;
    const auto start = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first));
    std::uint64_t thrown_out[kLooks];
    std::uint64_t as_they_are[kLooks] = {};
    std::int64_t looks = 0;
    for (std::int64_t k = 0; k < kLooks; ++k) {
        const std::int64_t near = start + k * (bytes / kLooks);
        std::byte* const page = first + (-near & (kMostPageBytes - 1)) + (near - start);
        if (!has_page(page)) continue;
        take(page);  // so that its address is known
        as_they_are[looks] = time_to_take(page + line);
        _mm_clflush(page + line);
        _mm_mfence();
        thrown_out[looks] = time_to_take(page + line);
        ++looks;
    }
    if (looks == 0) return true;
    std::sort(thrown_out, thrown_out + looks);
    const std::uint64_t from_memory = thrown_out[looks / 2];
    const auto soon = std::count_if(as_they_are, as_they_are + looks, [&](std::uint64_t cycles) {
        return cycles * 3 < from_memory * 2;
    });
    return soon + (kLooks - looks) >= kLooks - 1;
}

#else

bool are_in_caches(std::byte*, std::int64_t) noexcept { return false; }

#endif

}  // namespace dmlindex::cpu
