#include "cpu/run/fill.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {
namespace {

using Pair = std::array<std::uint64_t, 2>;

bool fits_lines(std::int64_t slice_bytes) noexcept {
    return slice_class(slice_bytes) < kElementClasses;
}

// At least a line of words.
template <class Word>
void fill_by_lines(std::byte* to, const std::byte* slice, std::int64_t bytes) noexcept {
    Word word;
    std::memcpy(&word, slice, sizeof word);
    std::array<Word, kCacheLineBytes / sizeof word> line;
    line.fill(word);
    for (std::int64_t at = 0; at + kCacheLineBytes <= bytes; at += kCacheLineBytes)
        std::memcpy(to + at, line.data(), sizeof line);
    std::memcpy(to + bytes - kCacheLineBytes, line.data(), sizeof line);
}

// What is there already is copied behind itself, in the end some of it over and over.
void fill_by_doubling(std::byte* to, const std::byte* slice, std::int64_t slice_bytes,
                      std::int64_t bytes) noexcept {
    constexpr std::int64_t kAtOnce = 512;
    std::memcpy(to, slice, static_cast<std::size_t>(slice_bytes));
    std::int64_t done = slice_bytes;
    for (std::int64_t next; done < std::min(bytes, kAtOnce); done += next) {
        next = std::min(done, bytes - done);
        std::memcpy(to + done, to, static_cast<std::size_t>(next));
    }
    const std::int64_t left = (bytes - done) % done;
    kernels().copy[slice_class(done)](to + done, done, to, 0, (bytes - done) / done, done);
    std::memcpy(to + bytes - left, to, static_cast<std::size_t>(left));
}

}  // namespace

std::int64_t least_filled_bytes(std::int64_t slice_bytes) noexcept {
    return fits_lines(slice_bytes) ? 256 : 8192;
}

void fill(std::byte* to, const std::byte* slice, std::int64_t slice_bytes,
          std::int64_t count) noexcept {
    const std::int64_t bytes = slice_bytes * count;
    if (bytes < kCacheLineBytes || !fits_lines(slice_bytes)) {
        fill_by_doubling(to, slice, slice_bytes, bytes);
    } else if (slice_bytes == 1) {
        fill_by_lines<std::uint8_t>(to, slice, bytes);
    } else if (slice_bytes == 2) {
        fill_by_lines<std::uint16_t>(to, slice, bytes);
    } else if (slice_bytes == 4) {
        fill_by_lines<std::uint32_t>(to, slice, bytes);
    } else if (slice_bytes == 8) {
        fill_by_lines<std::uint64_t>(to, slice, bytes);
    } else {
        fill_by_lines<Pair>(to, slice, bytes);
    }
}

}  // namespace dmlindex::cpu
