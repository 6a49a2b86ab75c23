// A large result goes to memory past the caches, in whole cache lines: it is gathered into a tile
// in L1 first, whose full lines are then streamed. Slices need not be whole lines, nor the result
// aligned.
#pragma once

#include <cstring>

#include "cpu/caches.hpp"
#include "cpu/kernels.hpp"

namespace dmlindex::cpu {

class Tile {
  public:
    static constexpr std::int64_t kBytes = 4096;

    explicit Tile(StreamKernel stream) noexcept : stream_(stream) {}
    ~Tile() { flush(filled_); }
    Tile(const Tile&) = delete;
    Tile& operator=(const Tile&) = delete;

    // Where the next bytes, at most kBytes of them, are to be written so that they arrive at to.
    std::byte* place(std::byte* to) noexcept {
        if (to != to_ + filled_) {
            flush(filled_);
            into_line_ =
                static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % kCacheLineBytes);
            to_ = to;
        }
        return bytes_ + into_line_ + filled_;
    }

    // That many bytes were written there: their whole lines go, the rest waits for more.
    void wrote(std::int64_t count) noexcept {
        filled_ += count;
        const std::int64_t rest = (into_line_ + filled_) % kCacheLineBytes;
        if (rest < filled_) flush(filled_ - rest);
    }

  private:
    void flush(std::int64_t count) noexcept {
        if (count == 0) return;
        const std::byte* const from = bytes_ + into_line_;
        stream_(to_, from, count);
        filled_ -= count;
        to_ += count;
        into_line_ = (into_line_ + count) % kCacheLineBytes;
        std::memmove(bytes_ + into_line_, from + count, static_cast<std::size_t>(filled_));
    }

    StreamKernel stream_;
    std::byte* to_ = nullptr;
    std::int64_t into_line_ = 0;  // of to_, and so of the first byte that is held
    std::int64_t filled_ = 0;
    alignas(kCacheLineBytes) std::byte bytes_[kBytes + 2 * kCacheLineBytes];
};

}  // namespace dmlindex::cpu
