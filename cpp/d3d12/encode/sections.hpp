// A plan in halves: the positions before a place along its outermost dim, and those behind.
#pragma once

#include <array>
#include <optional>

#include "d3d12/encode/limits.hpp"

namespace dmlindex::d3d12 {

// Both halves of a section, in order; none where the parts of its tensors could not begin where
// views can. They copy no source.
std::optional<std::array<Section, 2>> halves(const Section& section) noexcept;

}  // namespace dmlindex::d3d12
