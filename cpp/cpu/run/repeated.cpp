#include "cpu/run/repeated.hpp"

#include <algorithm>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/copy_source.hpp"
#include "cpu/run/few.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// The outermost dim along which neither the index nor the place changes, and behind which the items
// are one piece of more than a slice; -1 if there is none.
int repeated_dim(const Plan& plan) noexcept {
    int found = -1;
    std::int64_t packed = plan.slice_bytes;
    for (int d = plan.rank - 1; d >= 0; --d) {
        const Dim& dim = plan.dims[d];
        if (dim.item_stride != packed) break;
        if (dim.table_stride == 0 && dim.index_stride == 0 && packed > plan.slice_bytes) found = d;
        packed *= dim.size;
    }
    return found;
}

// Whether to copy the other positions takes less time than to gather them too, where each step
// along the dims before has a copy of its own: rows that share their indices are gathered quickly.
bool copies_pay(const Plan& plan, int repeated) noexcept {
    constexpr std::int64_t kLeastCopied = 4 * kCacheLineBytes;
    const Dim& dim = plan.dims[repeated];
    const bool share_indices = std::any_of(
        plan.dims, plan.dims + repeated, [](const Dim& outer) { return outer.index_stride == 0; });
    if (share_indices) return (dim.size - 1) * dim.item_stride >= kLeastCopied;
    return repeated == 0 || dim.size > 2 || dim.item_stride >= kCacheLineBytes;
}

}  // namespace

std::optional<Repeated> find_repeated(const Plan& plan) noexcept {
    if (plan.direction != Direction::kGather || plan.slice_bytes == 0 ||
        plan.slice_bytes > kCacheLineBytes || position_count(plan) < kSomePositions) {
        return std::nullopt;
    }
    const int d = repeated_dim(plan);
    if (d < 0 || !copies_pay(plan, d)) return std::nullopt;

    std::optional<Repeated> repeated(std::in_place, plan);
    auto& [once, copies, part_bytes] = *repeated;
    once.dims[d].size = 1;
    canonicalize(once);
    part_bytes = plan.dims[d].item_stride;
    begin_plan(Direction::kScatter, plan.index_type, part_bytes, copies);
    copies.copies_source = true;
    for (int outer = 0; outer < d; ++outer) {
        const Dim& dim = plan.dims[outer];
        copies.copy_dims[copies.copy_rank++] = {dim.size, dim.item_stride, dim.item_stride};
    }
    copies.copy_dims[copies.copy_rank++] = {plan.dims[d].size - 1, part_bytes, 0};
    canonicalize(copies);
    return repeated;
}

void repeat(const Repeated& repeated, const Buffers& buffers) {
    std::byte* const part = buffers.items;
    copy_source(repeated.copies, {part + repeated.part_bytes, nullptr, nullptr, part});
}

}  // namespace dmlindex::cpu
