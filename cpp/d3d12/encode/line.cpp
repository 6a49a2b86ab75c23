#include "d3d12/encode/line.hpp"

#include <algorithm>
#include <bit>

namespace dmlindex::d3d12 {

Plan put_on_line(const Plan& plan, const Tensors& tensors) noexcept {
    Plan placed = plan;
    const auto there = static_cast<std::int64_t>(tensors.table.bytes) / plan.element_bytes;
    placed.line.size = std::min(plan.line.size, there);
    if (plan.direction == Direction::kScatter && table_step(plan) < plan.slice_bytes) {
        placed.slice_bytes = table_step(plan);
        placed.dims[placed.rank++] = {plan.slice_bytes / placed.slice_bytes, placed.slice_bytes,
                                      placed.slice_bytes, 0};
    }
    return placed;
}

bool slices_may_cross(const Plan& plan) noexcept {
    return plan.is_linear &&
           !std::has_single_bit(static_cast<std::uint64_t>(table_step(plan) / plan.element_bytes));
}

}  // namespace dmlindex::d3d12
