#include "cpu/run/linear_job.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "cpu/kernels/moves.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// Positions that are to be looked up for each byte of a table that is copied for it.
constexpr std::int64_t kPositionsAByte = 4;
// Positions whose offsets are worth keeping for other dims.
constexpr std::int64_t kSharedPositions = 16;

// How many positions there are along the dims that indices do not move with.
std::int64_t free_positions(const Plan& plan) noexcept {
    std::int64_t positions = 1;
    for (int d = 0; d < plan.rank; ++d) {
        if (plan.dims[d].index_stride == 0) positions *= plan.dims[d].size;
    }
    return positions;
}

// Whether offsets are worth keeping for those. Any two updates may meet, so that a scatter keeps to
// C order.
bool wants_sharing(const Plan& plan, std::int64_t free) noexcept {
    return plan.direction == Direction::kGather && free > 1 &&
           position_count(plan) >= kSharedPositions * free;
}

// Whether looking elements up for each of them is quicker still.
bool prefers_look_up(const Plan& plan, std::int64_t free) noexcept {
    constexpr std::int64_t kFewPositions = 4;
    constexpr std::int64_t kWideBytes = 4;
    const bool in_registers = goes_in_registers(
        kernels(),
        {slice_class(plan.element_bytes), plan.line.last + 1, plan.dims[plan.rank - 1].size});
    return plan.slice_bytes == plan.element_bytes &&
           (in_registers || free < kFewPositions || plan.element_bytes >= kWideBytes);
}

}  // namespace

LinearJob::LinearJob(const Plan& plan, const Job& in_range) noexcept
    : job(in_range),
      line(plan, in_range.buffers.table),
      span(line.span_of(plan.slice_bytes)),
      address(kernels().address[static_cast<int>(plan.index_type)]) {
    const Kernels& table = kernels();
    const int slice = slice_class(plan.slice_bytes);
    const std::int64_t free = free_positions(plan);
    bool shares = wants_sharing(plan, free);
    const bool can = can_look_up(plan) && (!shares || prefers_look_up(plan, free));
    shares = shares && !can;
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
    if (can) choose_look_up(plan);
}

// Whether runs have packed indices that are all there is to a place but the run's own.
bool LinearJob::can_look_up(const Plan& plan) const noexcept {
    if (job.look_up == nullptr || plan.rank == 0) return false;
    const Dim& run = plan.dims[plan.rank - 1];
    return run.size >= kLookUpStep && run.index_stride == job.index_bytes &&
           run.table_stride == 0 && run.item_stride == plan.slice_bytes;
}

void LinearJob::choose_look_up(const Plan& plan) noexcept {
    looks_up = plan.slice_bytes != line.width;
    if (looks_up) return;
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
    looks_up = true;
    last_place = plan.line.last;
    look_up = line_look_up_for(
        kernels(), plan.index_type,
        {slice_class(line.width), std::min(plan.coordinates[0].limit, last_place + 1),
         plan.dims[plan.rank - 1].size});
}

}  // namespace dmlindex::cpu
