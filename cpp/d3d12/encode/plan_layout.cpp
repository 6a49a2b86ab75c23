// How a plan's bytes lie, as far as it decides which kernels run it.

#include <algorithm>
#include <iterator>
#include <numeric>

#include "d3d12/encode/choose.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::int64_t kUnits[] = {kPieceBytes, 4, 2, 1};
constexpr int kMostCoordinates = 3;  // of the kernels with variants for them

// Whether the constants of a dispatch hold what units are filled with until it repeats itself.
bool fits_pattern(const Plan& plan, std::int64_t unit) noexcept {
    return plan.fill == nullptr ||
           std::lcm(plan.element_bytes, unit) <= static_cast<std::int64_t>(kPatternBytes);
}

}  // namespace

bool table_has_whole_slices(const Plan& plan) noexcept {
    const auto is_whole = [&](std::int64_t stride) { return stride % plan.slice_bytes == 0; };
    return std::all_of(plan.dims, plan.dims + plan.rank,
                       [&](const Dim& dim) { return is_whole(dim.table_stride); }) &&
           std::all_of(plan.coordinates, plan.coordinates + plan.coordinate_count,
                       [&](const Coordinate& axis) { return is_whole(axis.table_stride); });
}

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
    if (copy.rank == 0 && copy.slice_bytes == all) copy.slice_bytes = round_up(all, kPieceBytes);
    return copy;
}

bool copies_all(const Plan& plan, std::uint64_t table_bytes) noexcept {
    return plan.copies_source && plan.copy_rank == 0 &&
           plan.copy_bytes == static_cast<std::int64_t>(table_bytes);
}

std::int64_t table_step(const Plan& plan) noexcept {
    std::int64_t common = plan.slice_bytes;
    for (int d = 0; d < plan.rank; ++d) common = std::gcd(common, plan.dims[d].table_stride);
    for (int k = 0; k < plan.coordinate_count; ++k) {
        common = std::gcd(common, plan.coordinates[k].table_stride);
    }
    return common;
}

std::int64_t unit_of(const Plan& plan) noexcept {
    std::int64_t common = table_step(plan);
    for (int d = 0; d < plan.rank; ++d) common = std::gcd(common, plan.dims[d].item_stride);
    if (plan.is_linear) {  // no unit is half behind the end
        common = std::gcd(common, present_elements(plan.line) * plan.element_bytes);
    }
    return *std::find_if(std::begin(kUnits), std::end(kUnits), [&](std::int64_t unit) {
        return unit == 1 || (common % unit == 0 && fits_pattern(plan, unit));
    });
}

std::int64_t held_line(const Plan& plan) noexcept {
    return plan.is_linear ? present_elements(plan.line) : plan.coordinates[0].limit;
}

Plan with_units(const Plan& plan, std::int64_t unit) noexcept {
    Plan units = plan;
    units.slice_bytes = unit;
    if (plan.slice_bytes != unit) {
        units.dims[units.rank++] = {plan.slice_bytes / unit, unit, unit, 0};
    }
    return units;
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

bool find_grid(const Plan& plan, Grid& grid) noexcept {
    if (plan.rank > 2 || plan.mode == Mode::kWrap || plan.coordinate_count < 1) return false;
    if (plan.rank > 0) grid.inner = plan.dims[plan.rank - 1];
    if (plan.rank == 2) grid.outer = plan.dims[0];
    if (plan.rank == 2 && grid.inner.size < kFour) return false;
    const std::int64_t index = index_bytes(plan.index_type);
    const std::int64_t tuple = plan.coordinate_count * index;
    for (int k = 0; k < plan.coordinate_count; ++k) {
        if (plan.coordinates[k].index_offset != k * index) return false;
    }
    if (plan.rank > 0 && grid.inner.index_stride != tuple) return false;
    if (plan.rank < 2 || grid.outer.index_stride == grid.inner.size * tuple) return true;
    grid.repeats_indices = true;
    return grid.outer.index_stride == 0 && grid.inner.size % kFour == 0;
}

bool has_index_kernels(const Plan& plan) noexcept {
    return index_bytes(plan.index_type) >= 4 && plan.coordinate_count >= 1 &&
           plan.coordinate_count <= kMostCoordinates;
}

bool has_single_winners(const Plan& plan) noexcept {
    return has_index_kernels(plan) &&
           (plan.coordinate_count == 1 ||
            (plan.coordinate_count == 2 && index_bytes(plan.index_type) == 4));
}

bool tuples_follow_positions(const Plan& plan) noexcept {
    const std::int64_t bytes = index_bytes(plan.index_type);
    if (plan.coordinate_count < 1 || bytes < 4) return false;
    std::int64_t stride = plan.coordinate_count * bytes;
    for (int d = plan.rank; d-- > 0;) {
        if (plan.dims[d].index_stride != stride) return false;
        stride *= plan.dims[d].size;
    }
    for (int k = 0; k < plan.coordinate_count; ++k) {
        if (plan.coordinates[k].index_offset != k * bytes) return false;
    }
    return true;
}

std::uint32_t has_few_for_each(const Plan& plan, std::int64_t targets) noexcept {
    return position_count(plan) <= targets ? 1 : 0;
}

bool has_targets_apart(const Plan& plan) noexcept {
    if (plan.rank == 0) return false;
    const Dim& inner = plan.dims[plan.rank - 1];
    const auto moves_further = [&](const Coordinate& one) {
        return one.table_stride > inner.table_stride;
    };
    return inner.index_stride != 0 && inner.table_stride != 0 &&
           std::any_of(plan.coordinates, plan.coordinates + plan.coordinate_count, moves_further);
}

bool goes_by_target(const Plan& plan, std::int64_t targets, const Profile& profile) noexcept {
    // By target, each costs 4 bytes; by position, each costs three sectors of 32 bytes or so, which
    // neighbours share if they can, and the copy has a pass of its own.
    const std::int64_t most =
        plan.copies_source ? profile.targets_copied : profile.targets_in_place;
    const std::int64_t times = !has_targets_apart(plan) ? 1 : plan.copies_source ? 2 : 3;
    return position_count(plan) * most * times >= targets;
}

std::int64_t long_slice_bytes(const Plan& plan, const Profile& profile) noexcept {
    constexpr std::int64_t kManyBytes = 16 << 20;  // of less, chains of calls lose what a GPU gains
    const bool are_slow_early = plan.direction == Direction::kScatter ||
                                position_count(plan) * plan.slice_bytes >= kManyBytes;
    return profile.long_slice_bytes / (are_slow_early ? 3 : 1);
}

}  // namespace dmlindex::d3d12
