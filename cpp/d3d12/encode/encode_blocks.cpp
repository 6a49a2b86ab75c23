#include "d3d12/backend.hpp"
#include "d3d12/encode/blocks.hpp"
#include "d3d12/encode/encode_moves.hpp"

namespace dmlindex::d3d12 {
namespace {

void encode_reduction_blocks(const Encoder& encoder, const Plan& plan, const Blocks& blocks,
                             const Tensors& tensors, const Slot& slot) {
    Constants constants = any_constants(plan, plan.slice_bytes, slot);
    set_values(plan, constants);
    constants.arguments[3] = narrow(blocks.positions);
    constants.pattern[0] = {
        narrow(blocks.units),
        narrow(static_cast<std::int64_t>(tensors.table.bytes) / plan.element_bytes),
        plan.copies_source ? 1u : 0u, 0};
    Views views;
    views.read[0].span = tensors.items;
    views.read[1] = {tensors.indices, Format::kR32};
    views.read[2].span = plan.copies_source ? tensors.source : tensors.table;
    views.written[0].span = tensors.table;
    const bool floats = kernel_values(plan.value_type) == VALUES_FLOATS;
    encoder.queue.dispatch(kernels::reduce_blocks(floats ? VALUES_FLOATS : VALUES_WHOLE), constants,
                           views, static_cast<std::uint64_t>(blocks.groups) * kGroup);
}

void encode_scatter_blocks(const Encoder& encoder, const Plan& plan, const Blocks& blocks,
                           const Tensors& tensors, const Slot& slot) {
    const std::int64_t part = word_part(plan.slice_bytes);
    Constants constants = any_constants(plan, plan.slice_bytes, slot);
    set_slice(plan.slice_bytes / part, constants);
    constants.arguments[1] = narrow(blocks.positions);
    constants.arguments[2] = narrow(blocks.position_step);
    constants.arguments[3] = narrow(blocks.units);
    constants.pattern[0] = {
        narrow(quotient_up(blocks.units * plan.slice_bytes, kWord)),
        narrow(quotient_up(static_cast<std::int64_t>(tensors.table.bytes), kWord)),
        plan.copies_source ? 1u : 0u, narrow(kWord / part)};
    Views views;
    views.read[0] = {tensors.items, element_format(part)};
    views.read[1] = {tensors.indices, Format::kR32};
    views.read[2] = {plan.copies_source ? tensors.source : tensors.indices, Format::kR32};
    views.written[0] = {tensors.table, Format::kR32};
    encoder.queue.dispatch(Kernel::scatter_blocks, constants, views,
                           static_cast<std::uint64_t>(blocks.groups) * kGroup);
}

}  // namespace

void encode_blocks(const Encoder& encoder, const Plan& plan, const Blocks& blocks,
                   const Tensors& tensors, const Slot& slot) {
    if (plan.reduction == Reduction::kNone) {
        encode_scatter_blocks(encoder, plan, blocks, tensors, slot);
    } else {
        encode_reduction_blocks(encoder, plan, blocks, tensors, slot);
    }
}

}  // namespace dmlindex::d3d12
