#include "cpu/run/linear_job.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "cpu/kernels/moves.hpp"

namespace dmlindex::cpu {
namespace {

// Positions that are to be looked up for each byte of a table that is copied for it.
constexpr std::int64_t kPositionsAByte = 4;
// Positions whose offsets are worth keeping for other dims.
constexpr std::int64_t kSharedPositions = 16;

// Whether the plan has dims along which offsets are worth keeping. Any two updates may meet, so
// that a scatter keeps to C order.
bool wants_sharing(const Plan& plan) noexcept {
    std::int64_t positions = 1;
    bool has_free_dim = false;
    for (int d = 0; d < plan.rank; ++d) {
        has_free_dim |= plan.dims[d].index_stride == 0;
        if (plan.dims[d].index_stride != 0) positions *= plan.dims[d].size;
    }
    return plan.direction == Direction::kGather && has_free_dim && positions >= kSharedPositions;
}

// Whether registers hold the line, so that looking up is always quickest.
bool is_small(const Plan& plan) noexcept {
    return plan.line.last < kernels().small_table[slice_class(plan.element_bytes)];
}

}  // namespace

LinearJob::LinearJob(const Plan& plan, const Job& in_range) noexcept
    : job(in_range),
      line(plan, in_range.buffers.table),
      span(line.span_of(plan.slice_bytes)),
      address(kernels().address[static_cast<int>(plan.index_type)]) {
    const Kernels& table = kernels();
    const int slice = slice_class(plan.slice_bytes);
    const bool looks_up = can_look_up(plan) && (is_small(plan) || !wants_sharing(plan));
    const bool shares = !looks_up && wants_sharing(plan);
    for (int d = 0; d < plan.rank; ++d) {
        const Dim& dim = plan.dims[d];
        (shares && dim.index_stride == 0 ? shared : dims).append(dim);
    }
    if (!gathers()) {
        job.move = table.scatter_or_drop[slice];
        job.move_any_size = table.scatter_or_drop[kSliceClasses - 1];
    } else if (plan.slice_bytes <= kBehindBytes) {
        fill_bytes(behind, line.behind_element, line.width, plan.slice_bytes);
        span.behind =
            reinterpret_cast<std::intptr_t>(behind) - reinterpret_cast<std::intptr_t>(line.table);
    } else {
        job.move = table.gather_or_fill[slice];
        job.move_any_size = table.gather_or_fill[kSliceClasses - 1];
        job.stream = nullptr;
        job.fill = line.behind_element;
    }
    if (looks_up) choose_look_up(plan);
}

// Whether runs have packed indices that are all there is to a place but the run's own.
bool LinearJob::can_look_up(const Plan& plan) const noexcept {
    if (job.look_up == nullptr || plan.rank == 0 || plan.slice_bytes != line.width) return false;
    const Dim& run = plan.dims[plan.rank - 1];
    return run.size >= kLookUpStep && run.index_stride == job.index_bytes &&
           run.table_stride == 0 && run.item_stride == line.width;
}

void LinearJob::choose_look_up(const Plan& plan) noexcept {
    const auto as_number = [](const std::byte* place) {
        return reinterpret_cast<std::intptr_t>(place);
    };
    if (line.behind_element == nullptr) {
        const std::int64_t bytes = (plan.line.last + 1) * line.width;
        if (bytes > kPositionsAByte * dims.positions) return;
        copied_line.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
        if (copied_line == nullptr) return;
        std::memcpy(copied_line.get(), line.table, static_cast<std::size_t>(line.present));
        std::memset(copied_line.get() + line.present, 0,
                    static_cast<std::size_t>(bytes - line.present));
        span.behind += as_number(line.table) - as_number(copied_line.get());
        job.buffers.table = line.table = copied_line.get();
    }
    last_place = plan.line.last;
    look_up = line_look_up_for(kernels(), plan.index_type, slice_class(line.width),
                               std::min(plan.coordinates[0].limit, last_place + 1));
}

}  // namespace dmlindex::cpu
