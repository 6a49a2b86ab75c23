// The CPU backend: runs plans. It knows no operator, no Python, and nothing of the other backends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "plan/plan.hpp"

namespace dmlindex::cpu {

// Where the plan's tensors lie. A gather only reads table and writes items; a scatter only reads
// items and source (null unless the plan copies) and writes table.
struct Buffers {
    std::byte* table;
    std::byte* items;
    const std::byte* indices;
    const std::byte* source;
};

// What a failing run leaves behind: anything at all (the caller drops its fresh output), or exactly
// what was there before.
enum class OnFailure { kAnything, kUntouched };

// The first index out of range, in C order of the indices.
struct BadIndex {
    std::int64_t position;  // flat, in Plan::index_dims; −1 if the indices changed under the call
    int coordinate;         // which number of the tuple
    std::uint64_t bits;     // its value, sign- or zero-extended as the index type says
};

// Runs the plan; nothing, or the index that failed it.
std::optional<BadIndex> run(const Plan& plan, const Buffers& buffers, OnFailure on_failure);

}  // namespace dmlindex::cpu
