// What follows from a plan alone, whoever runs it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "plan/plan.hpp"

namespace dmlindex {

inline std::int64_t position_count(const Plan& plan) noexcept {
    std::int64_t count = 1;
    for (int d = 0; d < plan.rank; ++d) count *= plan.dims[d].size;
    return count;
}

// The numbers in indices, those that no position reads included.
inline std::int64_t index_count(const Plan& plan) noexcept {
    std::int64_t count = plan.coordinate_count;
    for (int d = 0; d < plan.index_rank; ++d) count *= plan.index_dims[d].size;
    return count;
}

// The bytes of the copy that a scatter starts with.
inline std::int64_t source_bytes(const Plan& plan) noexcept {
    if (!plan.copies_source) return 0;
    std::int64_t bytes = plan.copy_bytes;
    for (int d = 0; d < plan.copy_rank; ++d) bytes *= plan.copy_dims[d].size;
    return bytes;
}

// The bytes of what a run reads in order, and of what it writes.
inline std::int64_t moved_bytes(const Plan& plan) noexcept {
    return index_count(plan) * index_bytes(plan.index_type) +
           position_count(plan) * plan.slice_bytes + source_bytes(plan);
}

// Whether the plan fails whatever its indices are: an axis of size 0 has no place that a mode could
// give them.
inline bool has_no_place(const Plan& plan) noexcept {
    bool has_empty_axis = false;
    for (int k = 0; k < plan.coordinate_count; ++k) {
        has_empty_axis |= plan.coordinates[k].limit == 0;
    }
    return has_empty_axis && plan.mode != Mode::kSkip && index_count(plan) > 0;
}

// Whether the values of the indices can make the plan fail.
inline bool may_fail(const Plan& plan) noexcept {
    if (plan.is_linear || index_count(plan) == 0) return false;
    return plan.mode == Mode::kRaise || has_no_place(plan);
}

// How much of the table indices reach from where a position's dims put them, in bytes.
inline std::int64_t reached_bytes(const Plan& plan) noexcept {
    std::int64_t reach = plan.slice_bytes;
    for (int k = 0; k < plan.coordinate_count; ++k) {
        reach += (plan.coordinates[k].limit - 1) * std::abs(plan.coordinates[k].table_stride);
    }
    return reach;
}

// How many addresses of a linear plan's table are both on the line and there.
inline std::int64_t present_elements(const Line& line) noexcept {
    return std::min(line.last + 1, line.size);
}

}  // namespace dmlindex
