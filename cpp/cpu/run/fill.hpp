// One slice over and over.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dmlindex::cpu {

// From how many bytes on fill() is quicker than to look each of them up. in_cache: L2 takes most of
// what is written.
std::int64_t least_filled_bytes(std::int64_t slice_bytes, bool in_cache) noexcept;

// Writes a slice of at most a cache line count times, one behind the other.
void fill(std::byte* to, const std::byte* slice, std::int64_t slice_bytes,
          std::int64_t count) noexcept;

}  // namespace dmlindex::cpu
