// Scatters and reductions whose groups have a block of the table each to themselves: they need no
// memory beside a group's own, and one kernel does it all: scatter_blocks.hlsl, reduce_blocks.hlsl.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

#include "d3d12/encode/choose.hpp"

namespace dmlindex::d3d12 {

// Bytes; no two groups write to one.
inline constexpr std::int64_t kWord = 4;

// The bytes of the largest part of a word that slices are whole multiples of: 1, 2 or 4.
inline std::int64_t word_part(std::int64_t slice_bytes) noexcept {
    return std::gcd(slice_bytes, kWord);
}

// How the plan is done so, if it is: few positions, or lines of the table with positions of their
// own.
std::optional<Blocks> find_blocks(const Plan& plan, const Tensors& tensors, const Reach& reach,
                                  bool has_position_lines);

}  // namespace dmlindex::d3d12
