// The copy that a scatter starts with.
#pragma once

#include "cpu/backend.hpp"

namespace dmlindex::cpu {

// Copies source to table, as the plan's copy_dims say.
void copy_source(const Plan& plan, const Buffers& buffers);

// The same of so many bytes.
void copy_all(std::byte* to, const std::byte* from, std::int64_t bytes);

// Whether the copy is better written past the caches, unless they have its target: what comes next
// writes to an eighth of its lines at most. Above far_bytes that holds for rows in any number, but
// single elements come back to the cache.
bool copy_is_streamed(const Plan& plan) noexcept;

}  // namespace dmlindex::cpu
