// Sizes of tensors, cut, filled up and compared, for the rules of shapes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "operators/descriptors/validation.hpp"

namespace dmlindex::validation {

inline constexpr std::size_t kMostDims =
    8;  // that a tensor can have, and that DirectML counts with

inline std::span<const std::uint32_t> first(const Sizes& sizes, std::size_t count) {
    return std::span(sizes).first(count);
}

inline std::span<const std::uint32_t> last(const Sizes& sizes, std::size_t count) {
    return std::span(sizes).last(count);
}

inline void append(Sizes& sizes, std::span<const std::uint32_t> more) {
    sizes.insert(sizes.end(), more.begin(), more.end());
}

inline bool all_ones(std::span<const std::uint32_t> sizes) {
    return std::ranges::all_of(sizes, [](std::uint32_t size) { return size == 1; });
}

// The sizes with 1s in front, as many dims as rank; all of them where they are more.
inline Sizes padded(const Sizes& sizes, std::size_t rank) {
    Sizes all(std::max(rank, sizes.size()) - sizes.size(), 1);
    append(all, sizes);
    return all;
}

// Whether they differ by more than 1s in front.
inline bool differ(const Sizes& a, const Sizes& b) {
    return padded(a, b.size()) != padded(b, a.size());
}

// The sizes of a tensor whose shape means something: it is there, and has 1..8 dims.
inline const Sizes* shape_of(const TensorDescPointer* tensor) {
    if (tensor == nullptr || !*tensor) return nullptr;
    const Sizes& sizes = (*tensor)->sizes;
    return !sizes.empty() && sizes.size() <= kMostDims ? &sizes : nullptr;
}

}  // namespace dmlindex::validation
