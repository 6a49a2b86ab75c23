#include "cpu/run/aside.hpp"

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/run/held_offsets.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// Whether positions fill a part of memory without a gap, so that it can be copied as one.
bool items_are_dense(const Plan& plan) noexcept {
    std::int64_t last = plan.slice_bytes;
    for (int d = 0; d < plan.rank; ++d) {
        if (plan.dims[d].item_stride <= 0) return false;
        last += (plan.dims[d].size - 1) * plan.dims[d].item_stride;
    }
    return last == position_count(plan) * plan.slice_bytes;
}

}  // namespace

std::int64_t bytes_aside(const Plan& plan) noexcept {
    const std::int64_t indices = index_count(plan) * index_bytes(plan.index_type);
    if (plan.direction == Direction::kGather) {
        constexpr std::int64_t kMostBytes = std::int64_t{32} << 20;  // from malloc's own memory
        constexpr std::int64_t kShareFromMemory = 2;
        const std::int64_t bytes = position_count(plan) * plan.slice_bytes;
        // What comes from memory is not read twice, be it indices or, where they take less, their
        // offsets.
        const bool from_memory = indices >= caches().streamed_bytes &&
                                 plan.slice_bytes <= std::int64_t{1}
                                                         << OffsetRange(plan).width_class();
        const std::int64_t share = from_memory ? kShareFromMemory : kernels().aside_share;
        const bool small =
            share * bytes <= indices && bytes <= caches().far_bytes && bytes < kMostBytes;
        return small && items_are_dense(plan) ? bytes : 0;
    }
    constexpr std::int64_t kTableShare = 8;
    const bool whole = plan.copies_source && plan.copy_rank == 0;
    return whole && kTableShare * plan.copy_bytes <= indices ? plan.copy_bytes : 0;
}

}  // namespace dmlindex::cpu
