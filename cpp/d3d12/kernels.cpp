// The one file that holds the kernels' code: a megabyte, which takes its time to compile.

#include "d3d12/kernels.hpp"

#include <algorithm>
#include <cassert>

#include "d3d12/shaders/shared.h"

namespace dmlindex::d3d12 {
namespace {

constexpr std::size_t kMostValues = 3;

struct Entry {
    KernelCode code;
    std::int64_t values[kMostValues];  // of its family's variants, in the order of kernels.txt
};

#include "d3d12/generated/codes.inc"

}  // namespace

const KernelCode& code_of(Kernel kernel) noexcept {
    return kEntries[static_cast<std::size_t>(kernel)].code;
}

Kernel find_kernel(Kernel first, int count, std::initializer_list<std::int64_t> values) noexcept {
    const Entry* const begin = kEntries + static_cast<std::size_t>(first);
    const Entry* const found = std::find_if(begin, begin + count, [&](const Entry& entry) {
        return std::equal(values.begin(), values.end(), entry.values);
    });
    assert(found != begin + count);
    return static_cast<Kernel>(found - kEntries);
}

}  // namespace dmlindex::d3d12
