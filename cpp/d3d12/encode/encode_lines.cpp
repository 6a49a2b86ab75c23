#include <algorithm>
#include <utility>

#include "d3d12/encode/blocks.hpp"
#include "d3d12/encode/encode_moves.hpp"
#include "d3d12/encode/position_lines.hpp"

namespace dmlindex::d3d12 {
namespace {

// The plan's positions without the dim along the lines, and that one.
struct Split {
    Plan apart;
    Dim along{1, 0, 0, 0};
};

Split split(const Plan& plan, const PositionLines& lines) noexcept {
    Split found{plan};
    found.apart.rank = 0;
    for (int d = 0; d < plan.rank; ++d) {
        if (d == lines.along) {
            found.along = plan.dims[d];
        } else {
            found.apart.dims[found.apart.rank++] = plan.dims[d];
        }
    }
    return found;
}

// The same with items' strides in elements.
Split split_in_elements(const Plan& plan, const PositionLines& lines) noexcept {
    Split found = split(plan, lines);
    for (int d = 0; d < found.apart.rank; ++d) found.apart.dims[d].item_stride /= plan.slice_bytes;
    found.along.item_stride /= plan.slice_bytes;
    return found;
}

}  // namespace

void encode_scatter_lines(const Encoder& encoder, const Plan& plan, const PositionLines& lines,
                          const Tensors& tensors, const Slot& slot) {
    const Split parts = split_in_elements(plan, lines);
    Constants constants = plan_constants(parts.apart, slot, plan.slice_bytes);
    constants.arguments = {narrow(lines.count), narrow(lines.positions),
                           narrow(parts.along.item_stride), narrow(parts.along.index_stride)};
    if (lines.are_named_early) {
        constants.pattern[0] = {constants.coordinates[0].limit,
                                std::exchange(constants.coordinates[0].table_stride, 1u), 0, 0};
    }
    Views views;
    views.read[0] = {tensors.items, element_format(plan.slice_bytes)};
    views.read[1] = {tensors.indices, Format::kR32};
    views.read[2] = {tensors.indices, Format::kRg32};
    views.written[0] = {tensors.table, element_format(plan.slice_bytes)};
    if (lines.are_compared) {
        const std::int64_t together = kBlockThreads / lines.positions;
        constants.pattern[0][0] = narrow(together);
        encoder.queue.dispatch(
            Kernel::compare_lines, constants, views,
            static_cast<std::uint64_t>(quotient_up(lines.count, together)) * kGroup);
        return;
    }
    encoder.queue.dispatch(Kernel::scatter_lines, constants, views,
                           static_cast<std::uint64_t>(lines.count));
}

void encode_held_lines(const Encoder& encoder, const Plan& plan, const PositionLines& lines,
                       const Tensors& tensors, const Slot& slot) {
    const bool copies = plan.copies_source && covers_table(plan, lines, tensors);
    if (plan.copies_source && !copies) encode_source_copy(encoder, plan, tensors, slot);
    const Split parts = split_in_elements(plan, lines);
    Constants constants = plan_constants(parts.apart, slot, plan.slice_bytes);
    const bool sums = plan.reduction != Reduction::kNone;
    constants.arguments = {narrow(lines.count), narrow(lines.positions),
                           narrow(parts.along.item_stride), narrow(parts.along.index_stride)};
    constants.pattern[0] = {narrow(lines.together), constants.coordinates[0].limit,
                            std::exchange(constants.coordinates[0].table_stride, 1u),
                            lines.are_rows ? 1u : 0u};
    const std::uint32_t bits = ~0u >> (32 - 8 * std::min(plan.slice_bytes, kWord));
    constants.pattern[1] = {copies ? 1u : 0u, sums ? narrow(plan.slice_bytes) : 0, bits, 0};
    const Format format = element_format(plan.slice_bytes);
    Views views;
    views.read[0] = {tensors.items, format};
    views.read[1] = {tensors.indices, Format::kR32};
    views.read[2] = {copies ? tensors.source : tensors.table, format};
    views.written[0] = {tensors.table, format};
    encoder.queue.dispatch(
        Kernel::hold_lines, constants, views,
        static_cast<std::uint64_t>(quotient_up(lines.count, lines.together)) * kGroup);
}

void encode_reduced_lines(const Encoder& encoder, const Plan& plan, const PositionLines& lines,
                          const Tensors& tensors, const Slot& slot) {
    const bool copies = plan.copies_source && covers_table(plan, lines, tensors);
    if (plan.copies_source && !copies) encode_source_copy(encoder, plan, tensors, slot);
    const Split parts = split(plan, lines);
    Constants constants = plan_constants(parts.apart, slot, plan.slice_bytes);
    set_values(plan, constants);
    constants.arguments[3] = narrow(lines.positions);
    constants.coordinates[0].table_stride = 1;
    constants.pattern[0] = {
        narrow(lines.count), narrow(lines.together), narrow(plan.coordinates[0].limit),
        lines.are_rows ? 0u : narrow(plan.coordinates[0].table_stride / plan.slice_bytes)};
    constants.pattern[1] = {narrow(parts.along.item_stride), narrow(parts.along.index_stride),
                            static_cast<std::uint32_t>(lines.lane_shift), unchanging_element(plan)};
    Views views;
    views.read[0].span = tensors.items;
    views.read[1] = {tensors.indices, Format::kR32};
    views.read[2].span = copies ? tensors.source : tensors.table;
    views.written[0] = {tensors.table,
                        lines.are_rows ? Format::kR32 : element_format(plan.slice_bytes)};
    encoder.queue.dispatch(
        lines.are_short ? Kernel::add_lines : Kernel::reduce_lines, constants, views,
        static_cast<std::uint64_t>(quotient_up(lines.count, lines.together)) * kGroup);
}

}  // namespace dmlindex::d3d12
