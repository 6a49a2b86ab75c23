// What a valid descriptor computes, straight from DirectML's definitions, an element at a time: no
// plan, no kernel. Results are held to it.
#pragma once

#include <optional>
#include <span>

#include "dmlindex/compile.hpp"
#include "fenced.hpp"

namespace dmlindex::fuzz {

// Each as many bytes as buffer_elements() says; updates is empty for gathers.
struct Operands {
    std::span<const std::byte> input;
    std::span<const std::byte> indices;
    std::span<const std::byte> updates;
    std::span<std::byte> output;
};

std::optional<BadIndex> run_by_meaning(const OperatorDesc& desc, const CompileOptions& options,
                                       const Operands& operands);

// How many items a call moves; with what it takes to draw them, its cost.
std::int64_t item_count(const OperatorDesc& desc);

}  // namespace dmlindex::fuzz
