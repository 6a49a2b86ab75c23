// Copies of matrices whose rows lie in the source column by column.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dmlindex::cpu {

// Element (r, c) goes from from[r · element_bytes + c · from_stride] to
// to[r · to_stride + c · element_bytes]. Strides are any.
struct Transposed {
    std::byte* to;
    std::int64_t to_stride;
    const std::byte* from;
    std::int64_t from_stride;
    std::int64_t rows;
    std::int64_t columns;
};

// Whether squares of such a matrix go faster than one row after the other.
bool transposes(std::int64_t rows, std::int64_t columns, std::int64_t element_bytes) noexcept;

// Copies one that transposes().
void copy_transposed(const Transposed& matrix, std::int64_t element_bytes) noexcept;

}  // namespace dmlindex::cpu
