#include "cpu/run/few.hpp"

#include <algorithm>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/run/copy_source.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/tiles.hpp"
#include "cpu/run/tuples.hpp"
#include "cpu/run/walker.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// Whether items and indices lie at one stride along all positions.
bool is_one_run(const Plan& plan) noexcept {
    for (int d = 0; d + 1 < plan.rank; ++d) {
        if (!goes_on(plan.dims[d], plan.dims[d + 1])) return false;
    }
    return true;
}

// Whether all runs, of which there are some, have the same indices, and none can be skipped.
bool shares_one_run(const Plan& plan) noexcept {
    return plan.mode != Mode::kSkip &&
           std::all_of(plan.dims, plan.dims + plan.rank - 1,
                       [](const Dim& dim) { return dim.index_stride == 0; });
}

}  // namespace

LookUpKernel row_look_up(const Plan& plan) noexcept {
    if (plan.rank > 1 || plan.slice_bytes > kElementBytes) return nullptr;
    const Dim& row = plan.dims[0];
    const bool packed =
        plan.rank == 0 || (row.index_stride == index_bytes(plan.index_type) &&
                           row.table_stride == 0 && row.item_stride == plan.slice_bytes);
    return packed ? choose_look_ups(plan, 0).usual : nullptr;
}

bool look_up_row(const Plan& plan, const Prepared& row, const Buffers& buffers) noexcept {
    const std::int64_t count = plan.rank > 0 ? plan.dims[0].size : 1;
    const std::int64_t stride = plan.rank > 0 ? plan.dims[0].index_stride : 0;
    IndexRun run{buffers.indices, stride, count, 0, 0, plan.coordinates, plan.coordinate_count};
    run.fetches_table = row.fetches_table;
    return row.look_up(run, buffers.table, buffers.items) == count;
}

bool run_few(const Plan& plan, const Buffers& buffers, bool copies, LookUpKernel look_up,
             bool far) {
    if (look_up != nullptr &&
        look_up_row(plan, {look_up, reached_bytes(plan) > caches().far_bytes}, buffers)) {
        return true;
    }
    std::int64_t moved = 0;
    if (may_flatten_few(plan)) {
        moved = run_few_tuples(plan, buffers, copies, far);
        if (moved == plan.dims[0].size) return true;
        copies = copies && moved == 0;
    }
    const ResolveKernel resolve =
        kernels().resolve[static_cast<int>(plan.index_type)][static_cast<int>(plan.mode)];
    const MoveKernel move =
        choose_move(kernels(), plan, slice_class(plan.slice_bytes), plan.mode == Mode::kSkip);
    alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
    const auto move_run = [&](const std::int64_t* first, std::int64_t count, std::byte* items,
                              std::int64_t item_stride) {
        move({buffers.table, first, count, items, item_stride, plan.slice_bytes, plan.element_bytes,
              far, plan.fill, plan.byte_table});
    };
    if (is_one_run(plan)) {
        const std::int64_t count = position_count(plan);
        const Dim last = plan.rank > 0 ? plan.dims[plan.rank - 1] : Dim{1, 0, 0, 0};
        alignas(kCacheLineBytes) std::int64_t places[kBlockPositions];
        IndexRun run{buffers.indices,  last.index_stride,    count, 0, last.table_stride,
                     plan.coordinates, plan.coordinate_count};
        if (plan.rank > 1) {
            write_places(plan.dims, plan.rank, {0, plan.dims[0].size, 0}, places);
            run.places = places;
        }
        run = behind(run, moved);
        if (!resolve(run, offsets)) return false;
        if (copies) copy_source(plan, buffers);
        move_run(offsets, run.count, buffers.items + moved * last.item_stride, last.item_stride);
        return true;
    }
    const bool shares = shares_one_run(plan);
    std::int64_t* next = offsets;
    for (PositionWalker walker(plan.dims, plan.rank, 0); !walker.at_end();) {
        const std::int64_t count = walker.left_in_run();
        if (shares && next > offsets) {
            const std::int64_t further = walker.table_offset();
            for (std::int64_t i = 0; i < count; ++i) next[i] = offsets[i] + further;
        } else if (!resolve(walker.index_run(buffers.indices, count, plan.coordinates,
                                             plan.coordinate_count),
                            next)) {
            return false;
        }
        next += count;
        walker.advance(count);
    }
    if (copies) copy_source(plan, buffers);
    if (items_are_linear(plan.dims, plan.rank)) {
        move_run(offsets, next - offsets, buffers.items, plan.dims[plan.rank - 1].item_stride);
        return true;
    }
    next = offsets;
    for (PositionWalker walker(plan.dims, plan.rank, 0); !walker.at_end();) {
        const std::int64_t count = walker.left_in_run();
        move_run(next, count, buffers.items + walker.item_offset(), walker.run().item_stride);
        next += count;
        walker.advance(count);
    }
    return true;
}

}  // namespace dmlindex::cpu
