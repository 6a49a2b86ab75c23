#include "d3d12/encode/position_lines.hpp"

#include <algorithm>
#include <array>

namespace dmlindex::d3d12 {
namespace {

// What a GPU's cache fetches at once: the positions of a line that are further apart have no part
// of it together.
constexpr std::int64_t kSectorBytes = 32;

// Whether positions that differ in any other dim than `along` never meet: what dims and coordinates
// add up to in the table, from the smallest stride on, is less than the next one's stride.
bool lines_are_apart(const Plan& plan, int along) noexcept {
    struct Step {
        std::int64_t stride;
        std::int64_t size;
    };
    std::array<Step, 2 * kMaxDeviceDims> steps;
    std::size_t count = 0;
    for (int d = 0; d < plan.rank; ++d) {
        if (d != along) steps[count++] = {plan.dims[d].table_stride, plan.dims[d].size};
    }
    for (int k = 0; k < plan.coordinate_count; ++k) {
        steps[count++] = {plan.coordinates[k].table_stride, plan.coordinates[k].limit};
    }
    std::sort(steps.begin(), steps.begin() + count,
              [](const Step& a, const Step& b) { return a.stride < b.stride; });
    std::int64_t reached = plan.slice_bytes;
    for (std::size_t i = 0; i < count; ++i) {
        if (steps[i].stride < reached) return false;
        reached += (steps[i].size - 1) * steps[i].stride;
    }
    return true;
}

}  // namespace

std::optional<PositionLines> find_position_lines(const Plan& plan, const Tensors& tensors,
                                                 const Reach& reach) noexcept {
    const std::int64_t element = plan.slice_bytes;
    if (plan.direction != Direction::kScatter || plan.is_linear || !is_single(element) ||
        plan.unique_indices || !table_has_whole_slices(plan) || has_no_place(plan) ||
        plan.rank > kMaxDeviceDims || plan.coordinate_count > kMaxDeviceDims) {
        return std::nullopt;
    }
    const std::int64_t most = element * reach.texels;
    if (static_cast<std::int64_t>(tensors.table.bytes) > most ||
        static_cast<std::int64_t>(tensors.items.bytes) > most) {
        return std::nullopt;
    }
    PositionLines lines;
    for (int d = 0; d < plan.rank; ++d) {
        if (plan.dims[d].item_stride % element != 0) return std::nullopt;
        if (plan.dims[d].table_stride != 0) continue;
        if (lines.along >= 0) return std::nullopt;
        lines.along = d;
        lines.positions = plan.dims[d].size;
    }
    const bool are_columns =
        lines.along >= 0 && plan.dims[lines.along].index_stride >= kSectorBytes;
    const std::int64_t most_positions =
        are_columns ? reach.profile.column_positions : reach.profile.line_positions;
    if (lines.positions == 0 || lines.positions > most_positions) return std::nullopt;
    lines.count = position_count(plan) / lines.positions;
    if (lines.count < reach.profile.least_lines || !lines_are_apart(plan, lines.along))
        return std::nullopt;
    return lines;
}

}  // namespace dmlindex::d3d12
