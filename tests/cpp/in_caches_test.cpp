#include "cpu/kernels/in_caches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dmlindex::cpu {
namespace {

TEST(InCaches, TheLookLeavesWhatIsThere) {
    for (const std::int64_t bytes : {0, 1, 1 << 20, (3 << 20) + 77, 17 << 20}) {
        std::vector<std::byte> memory(static_cast<std::size_t>(bytes) + 3);
        std::uint8_t next = 1;
        for (std::byte& byte : memory)
            byte = std::byte{next = static_cast<std::uint8_t>(next * 5 + 1)};
        const std::vector<std::byte> before = memory;
        for (int times = 0; times < 40; ++times) are_in_caches(memory.data() + 3, bytes);
        EXPECT_EQ(memory, before) << bytes;
    }
}

#if defined(__linux__) && defined(__x86_64__)
TEST(InCaches, PagesThatNobodyTouchedWillBeAndAreNotTouchedNow) {
    constexpr std::size_t kBytes = 64 << 20;
    constexpr std::size_t kPage = 4096;
    void* const pages =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    const auto there = [&] {
        std::vector<unsigned char> of_each(kBytes / kPage);
        EXPECT_EQ(mincore(pages, kBytes, of_each.data()), 0);
        return of_each;
    };
    const std::vector<unsigned char> before = there();
    const bool found = are_in_caches(static_cast<std::byte*>(pages), kBytes);
    // Some sandboxes say that all are there.
    const bool untouched = std::count(before.begin(), before.end(), 0) == std::ssize(before);
    EXPECT_TRUE(found || !untouched);
    EXPECT_EQ(there(), before);
    munmap(pages, kBytes);
}
#endif

}  // namespace
}  // namespace dmlindex::cpu
