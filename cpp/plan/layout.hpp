// The shape and strides of one tensor, without its bytes: what the operators lower from.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan/plan.hpp"

namespace dmlindex {

struct Layout {
    int rank = 0;
    std::int64_t sizes[kMaxDims];
    std::int64_t strides[kMaxDims];  // in bytes

    // Only the first rank entries count: the others are neither set nor copied, which would take a
    // tiny call's time.
    Layout() noexcept {}
    Layout(const Layout& other) noexcept { *this = other; }
    Layout& operator=(const Layout& other) noexcept {
        rank = other.rank;
        for (int d = 0; d < rank; ++d) {
            sizes[d] = other.sizes[d];
            strides[d] = other.strides[d];
        }
        return *this;
    }
};

// Sets packed C-order strides for elements of element_bytes. Throws Error(kValue) naming op when
// the tensor's size in bytes does not fit 63 bits.
void set_packed_strides(Layout& layout, std::int64_t element_bytes, const char* op);

// The number of elements. The sizes are those of a tensor that exists, so it cannot overflow.
inline std::int64_t element_count(const Layout& layout) noexcept {
    std::int64_t count = 1;
    for (int d = 0; d < layout.rank; ++d) count *= layout.sizes[d];
    return count;
}

}  // namespace dmlindex
