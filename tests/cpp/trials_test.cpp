#include "cpu/kernels/trials.hpp"

#include <gtest/gtest.h>

namespace dmlindex::cpu {
namespace {

// Byte by byte, each of which is stored.
void copy_slowly(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept {
    volatile std::byte* const place = to;
    for (std::int64_t i = 0; i < bytes; ++i) place[i] = from[i];
}

void copy_nothing(std::byte*, const std::byte*, std::int64_t) noexcept {}

TEST(Trials, PagesAreCopiedByWhoeverIsQuicker) {
    EXPECT_TRUE(library_copies_pages(copy_slowly));
    EXPECT_FALSE(library_copies_pages(copy_nothing));
}

}  // namespace
}  // namespace dmlindex::cpu
