// Scatters whose positions form lines that are apart in the table.
#pragma once

#include <optional>

#include "d3d12/encode/choose.hpp"

namespace dmlindex::d3d12 {

// What a GPU's cache fetches at once: positions of a line that are further apart share none of it.
inline constexpr std::int64_t kSectorBytes = 32;
// Positions of a thread where a kernel's loops are short.
inline constexpr std::int64_t kMostOfAShortLane = 1 << 10;

// Lines of positions that are apart, however many: a line's are those along the only dim that does
// not move in the table.
std::optional<PositionLines> find_apart(const Plan& plan, const Tensors& tensors,
                                        const Reach& reach) noexcept;
// Whether a line's elements are neighbours in the table, and lines follow each other.
bool lines_are_rows(const Plan& plan, const PositionLines& lines) noexcept;

// The lines of a scatter of single elements that scatter_lines.hlsl has a thread go along, or, with
// a copy, groups of hold_lines.hlsl; nothing where there are none, or that would not pay.
std::optional<PositionLines> find_position_lines(const Plan& plan, const Tensors& tensors,
                                                 const Reach& reach) noexcept;

// Those of a scatter, or of a sum of integers, that groups of hold_lines.hlsl hold in their memory.
std::optional<PositionLines> find_held_lines(const Plan& plan, const Tensors& tensors,
                                             const Reach& reach) noexcept;

// Those of a reduction, for that kernel or reduce_lines.hlsl.
std::optional<PositionLines> find_reduced_lines(const Plan& plan, const Tensors& tensors,
                                                const Reach& reach) noexcept;
// Whether they are the whole table, so that it is copied as they are gone along.
bool covers_table(const Plan& plan, const PositionLines& lines, const Tensors& tensors) noexcept;

}  // namespace dmlindex::d3d12
