// Whether a strided tensor meets itself: what a tensor that is written to must not do.
#pragma once

#include <cstdint>
#include <span>

namespace dmlindex {

enum class Overlap : std::uint8_t {
    kNone,    // no two positions share a byte
    kSome,    // two positions do
    kUnknown  // the search was given up: treat it as kSome, and say so
};

// Decides exactly, for any strides (negative and 0 too), whether two positions of the tensor share
// a byte. Tensors whose strides nest, and so nearly all there are, are decided by one look at each
// dim; so is one with more elements than its bytes can hold. Others take a search, which is
// bounded: it ends for every tensor of two dims below 2^32 elements, and gives up after some 20 ms
// for others.
Overlap self_overlap(std::span<const std::int64_t> sizes,
                     std::span<const std::int64_t> strides_bytes,
                     std::int64_t element_bytes) noexcept;

}  // namespace dmlindex
