// Calls whose table or indices lie at any strides, and are read often: from packed copies.
#pragma once

#include <memory>
#include <optional>

#include "cpu/backend.hpp"

namespace dmlindex::cpu {

// The plan with what was copied, and the memory for that. Its index_dims are the caller's still: a
// bad index is looked for where it gave it.
struct Packed {
    Packed(const Plan& given, const Buffers& of_given) noexcept : plan(given), buffers(of_given) {}

    Plan plan;
    Buffers buffers;
    std::unique_ptr<std::byte[]> table;
    std::unique_ptr<std::byte[]> indices;
};

// Nothing where all had better be read as it lies, or where there is no memory for the copies: for
// that of a gather's table a fraction of the result's, for the indices' as much as they take.
std::optional<Packed> pack(const Plan& plan, const Buffers& buffers);

}  // namespace dmlindex::cpu
