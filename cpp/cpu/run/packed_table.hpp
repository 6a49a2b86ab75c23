// Gathers that read a table of any strides many times over, from a packed copy of it.
#pragma once

#include <memory>
#include <optional>

#include "cpu/backend.hpp"

namespace dmlindex::cpu {

// The plan with its table packed, and the memory for that.
struct PackedTable {
    Plan plan;
    Buffers buffers;
    std::unique_ptr<std::byte[]> own;
};

// Nothing where the table had better be read as it lies, or where there is no memory for a copy,
// which is a fraction of the result's.
std::optional<PackedTable> pack_table(const Plan& plan, const Buffers& buffers);

}  // namespace dmlindex::cpu
