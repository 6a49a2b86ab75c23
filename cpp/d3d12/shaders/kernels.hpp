// The compiled kernels. shaders/kernels.txt lists them, and script/shaders makes generated/ of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "d3d12/generated/kernels.hpp"

namespace dmlindex::d3d12 {

struct KernelCode {
    const char* name;
    const std::uint32_t* dxbc;
    std::size_t bytes;
    bool typed;    // uses typed views, which only descriptor tables can bind
    bool winners;  // declares the register for them, whether or not it is given any
};

const KernelCode& code_of(Kernel kernel) noexcept;

}  // namespace dmlindex::d3d12
