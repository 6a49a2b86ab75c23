// The shape and strides of one tensor, without its bytes: what the operators lower from.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"

namespace dmlindex {

struct Layout {
    int rank = 0;
    std::int64_t sizes[kMaxDims];
    std::int64_t strides[kMaxDims];  // in bytes

    Layout() noexcept {}  // leaves the arrays unset: only the first rank entries count
};

// Sets packed C-order strides for elements of element_bytes. Throws Error(kValue) naming op when
// the tensor's size in bytes does not fit 63 bits.
void set_packed_strides(Layout& layout, std::int64_t element_bytes, const char* op);

// The number of elements. The sizes are those of a tensor that exists, so it cannot overflow.
std::int64_t element_count(const Layout& layout) noexcept;

}  // namespace dmlindex
