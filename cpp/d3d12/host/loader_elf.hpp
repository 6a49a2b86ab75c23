// What an ELF file says of the stack of whoever loads it.
#pragma once

#include <cstddef>
#include <span>

namespace dmlindex::d3d12 {

// If the bytes are those of a 64-bit x86-64 ELF file that asks for an executable stack, takes the
// request out of them and returns true. Whatever else they are, they stay as they are.
bool clear_executable_stack(std::span<std::byte> file) noexcept;

}  // namespace dmlindex::d3d12
