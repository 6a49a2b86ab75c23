// Calls whose table or indices lie at any strides, and are read often: from packed copies.
#pragma once

#include <memory>
#include <optional>

#include "cpu/backend.hpp"

namespace dmlindex::cpu {

// The plan with what was copied, and the memory for that.
struct Packed {
    Packed(const Plan& given, const Buffers& of_given) noexcept : plan(given), buffers(of_given) {}

    Plan plan;
    Buffers buffers;
    std::unique_ptr<std::byte[]> table;
    std::unique_ptr<std::byte[]> indices;
};

// Nothing where all had better be read as it lies, or where there is no memory for the copies: of
// a gather's table, a fraction of the result's, and of the indices.
std::optional<Packed> pack(const Plan& plan, const Buffers& buffers);

}  // namespace dmlindex::cpu
