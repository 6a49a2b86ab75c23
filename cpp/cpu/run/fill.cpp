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

// So many bytes of one word after the other.
template <class Word, std::int64_t kBytes>
std::array<Word, kBytes / sizeof(Word)> repeated(const std::byte* slice) noexcept {
    Word word;
    std::memcpy(&word, slice, sizeof word);
    std::array<Word, kBytes / sizeof word> words;
    words.fill(word);
    return words;
}

// At least a line of words; many with the widest stores there are.
template <class Word>
void fill_words(std::byte* to, const std::byte* slice, std::int64_t bytes) noexcept {
    constexpr std::int64_t kPieceBytes = 4 * kCacheLineBytes;
    constexpr std::int64_t kLong = 4 * kPieceBytes;
    if (bytes >= kLong) {
        const auto piece = repeated<Word, kPieceBytes>(slice);
        const auto* const from = reinterpret_cast<const std::byte*>(piece.data());
        kernels().copy[slice_class(kPieceBytes)](to, kPieceBytes, from, 0, bytes / kPieceBytes,
                                                 kPieceBytes);
        std::memcpy(to + bytes - kPieceBytes, from, kPieceBytes);
    } else {
        const auto line = repeated<Word, kCacheLineBytes>(slice);
        for (std::int64_t at = 0; at + kCacheLineBytes <= bytes; at += kCacheLineBytes)
            std::memcpy(to + at, line.data(), kCacheLineBytes);
        std::memcpy(to + bytes - kCacheLineBytes, line.data(), kCacheLineBytes);
    }
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

std::int64_t least_filled_bytes(std::int64_t slice_bytes, bool in_cache) noexcept {
    if (fits_lines(slice_bytes)) return 256;
    return in_cache || slice_bytes < kElementBytes ? 4096 : 8192;
}

void fill(std::byte* to, const std::byte* slice, std::int64_t slice_bytes,
          std::int64_t count) noexcept {
    const std::int64_t bytes = slice_bytes * count;
    if (bytes < kCacheLineBytes || !fits_lines(slice_bytes)) {
        fill_by_doubling(to, slice, slice_bytes, bytes);
    } else if (slice_bytes == 1) {
        fill_words<std::uint8_t>(to, slice, bytes);
    } else if (slice_bytes == 2) {
        fill_words<std::uint16_t>(to, slice, bytes);
    } else if (slice_bytes == 4) {
        fill_words<std::uint32_t>(to, slice, bytes);
    } else if (slice_bytes == 8) {
        fill_words<std::uint64_t>(to, slice, bytes);
    } else {
        fill_words<Pair>(to, slice, bytes);
    }
}

}  // namespace dmlindex::cpu
