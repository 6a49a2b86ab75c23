// Plans that are run often: what a small one's runs have in common is found out once.
#include <cstring>

#include "cpu/backend.hpp"
#include "cpu/kernels/caches.hpp"
#include "cpu/run/bad_index.hpp"
#include "cpu/run/few.hpp"
#include "cpu/run/job.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {

Prepared prepare(const Plan& plan) noexcept {
    const std::int64_t positions = position_count(plan);
    const std::int64_t bytes = positions * plan.slice_bytes;
    if (plan.is_linear || has_no_place(plan) || bytes == 0 || bytes > kFewBytes ||
        source_bytes(plan) > kFewBytes || positions > kBlockPositions) {
        return {};
    }
    const LookUpKernel look_up = row_look_up(plan);
    return {look_up, reached_bytes(plan) > caches().far_bytes,
            look_up == nullptr && positions < kSomePositions};
}

std::optional<BadIndex> run(const Plan& plan, const Prepared& prepared, const Buffers& buffers,
                            OnFailure on_failure) {
    constexpr std::int64_t kAsideBytes = 4096;
    if (prepared.is_few) {
        const bool far = table_is_far(plan, reached_bytes(plan));
        if (run_few(plan, buffers, plan.copies_source, nullptr, far)) return std::nullopt;
        return first_bad_index(plan, buffers.indices).value_or(BadIndex{-1, 0, 0});
    }
    if (prepared.look_up == nullptr) return run(plan, buffers, on_failure);
    if (plan.mode != Mode::kRaise || on_failure == OnFailure::kAnything) {
        if (look_up_row(plan, prepared, buffers)) return std::nullopt;
    } else if (const std::int64_t bytes = position_count(plan) * plan.slice_bytes;
               bytes <= kAsideBytes) {
        alignas(kCacheLineBytes) std::byte aside[kAsideBytes];
        if (look_up_row(plan, prepared, {buffers.table, aside, buffers.indices, nullptr})) {
            std::memcpy(buffers.items, aside, static_cast<std::size_t>(bytes));
            return std::nullopt;
        }
    }
    return run(plan, buffers, on_failure);
}

}  // namespace dmlindex::cpu
