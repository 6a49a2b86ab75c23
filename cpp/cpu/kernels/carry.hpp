// A large result goes to memory past the caches, which only whole, aligned cache lines do well.
// Most lines of a row are streamed straight from the table; the one in which a row ends and the
// next begins is put together here.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cpu/kernels/caches.hpp"

namespace dmlindex::cpu {

class Carry {
  public:
    ~Carry() { flush(); }
    Carry() = default;
    Carry(const Carry&) = delete;
    Carry& operator=(const Carry&) = delete;

    // Goes on at to with a row of at least a line; stream_line(to, from) moves a line.
    template <class StreamLine>
    [[gnu::always_inline]] void append(std::byte* to, const std::byte* from, std::int64_t bytes,
                                       StreamLine stream_line) noexcept {
        assert(bytes >= kCacheLineBytes);
        if (to != to_ + filled_) start(to, from, bytes);
        if (filled_ != 0) {
            std::memcpy(line() + filled_, from, kCacheLineBytes);  // what is too much is not used
            stream_line(to_, line());
            to_ += kCacheLineBytes;
            from += kCacheLineBytes - filled_;
            bytes -= kCacheLineBytes - filled_;
        }
        for (; bytes >= kCacheLineBytes; bytes -= kCacheLineBytes) {
            stream_line(to_, from);
            to_ += kCacheLineBytes;
            from += kCacheLineBytes;
        }
        // The row's last line of bytes, of which the end belongs to this line.
        if (bytes > 0) {
            std::memcpy(line() + bytes - kCacheLineBytes, from + bytes - kCacheLineBytes,
                        kCacheLineBytes);
        }
        filled_ = bytes;
    }

  private:
    std::byte* line() noexcept { return bytes_ + kCacheLineBytes; }

    void flush() noexcept {
        if (filled_ != 0) std::memcpy(to_, line(), static_cast<std::size_t>(filled_));
    }

    // The bytes up to the first whole line go the ordinary way.
    void start(std::byte* to, const std::byte*& from, std::int64_t& bytes) noexcept {
        flush();
        const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to));
        const std::int64_t head = -address & (kCacheLineBytes - 1);
        std::memcpy(to, from, static_cast<std::size_t>(head));
        to_ = to + head;
        from += head;
        bytes -= head;
        filled_ = 0;
    }

    std::byte* to_ = nullptr;  // a line's begin
    std::int64_t filled_ = 0;
    alignas(kCacheLineBytes) std::byte bytes_[3 * kCacheLineBytes];  // the line is in the middle
};

}  // namespace dmlindex::cpu
