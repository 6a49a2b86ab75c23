// How a plan's bytes lie, as far as it decides which kernels run it.

#include <numeric>

#include "d3d12/encode/choose.hpp"

namespace dmlindex::d3d12 {

Plan copy_plan(const Plan& plan, std::uint64_t table_bytes) {
    Plan copy = plan;
    copy.direction = Direction::kGather;
    copy.reduction = Reduction::kNone;
    copy.copies_source = false;
    copy.is_linear = false;
    copy.coordinate_count = 0;
    copy.fill = nullptr;
    copy.rank = plan.copy_rank;
    copy.slice_bytes = plan.copy_bytes;
    for (int d = 0; d < plan.copy_rank; ++d) {
        const CopyDim& dim = plan.copy_dims[d];
        copy.dims[d] = {dim.size, dim.source_stride, dim.table_stride, 0};
    }
    // Nothing lies behind the end of a tensor, so that the last piece may be a whole one.
    const auto all = static_cast<std::int64_t>(table_bytes);
    if (copy.rank == 0 && copy.slice_bytes == all) copy.slice_bytes = (all + 15) / 16 * 16;
    return copy;
}

std::int64_t table_step(const Plan& plan) noexcept {
    std::int64_t common = plan.slice_bytes;
    for (int d = 0; d < plan.rank; ++d) common = std::gcd(common, plan.dims[d].table_stride);
    for (int k = 0; k < plan.coordinate_count; ++k) {
        common = std::gcd(common, plan.coordinates[k].table_stride);
    }
    return common;
}

bool items_are_packed(const Plan& plan) noexcept {
    std::int64_t stride = plan.slice_bytes;
    for (int d = plan.rank - 1; d >= 0; --d) {
        if (plan.dims[d].item_stride != stride) return false;
        stride *= plan.dims[d].size;
    }
    return true;
}

bool indices_are_packed(const Plan& plan) noexcept {
    const std::int64_t index = index_bytes(plan.index_type);
    for (int k = 0; k < plan.coordinate_count; ++k) {
        if (plan.coordinates[k].index_offset != k * index) return false;
    }
    std::int64_t stride = plan.coordinate_count * index;
    for (int d = plan.index_rank - 1; d >= 0; --d) {
        const IndexDim& dim = plan.index_dims[d];
        if (dim.size != 1 && dim.index_stride != stride) return false;
        stride *= dim.size;
    }
    return true;
}

}  // namespace dmlindex::d3d12
