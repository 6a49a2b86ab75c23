// Scatters in place whose targets may be in order of positions: then the last write wins without
// anybody finding out which it is.

#include <algorithm>

#include "d3d12/encode/encode_moves.hpp"

namespace dmlindex::d3d12 {

bool looks_for_order(const Encoder& encoder, const Plan& plan, const Tensors& tensors) noexcept {
    const Profile& profile = encoder.profile;
    const std::int64_t targets = static_cast<std::int64_t>(tensors.table.bytes) / plan.slice_bytes;
    return encoder.typed_views && !plan.copies_source && fits_any_dims(plan) &&
           !has_targets_apart(plan) && has_single_targets(plan, tensors, encoder.reach()) &&
           static_cast<std::int64_t>(tensors.items.bytes) <= plan.slice_bytes * encoder.texels &&
           position_count(plan) >= profile.ordered_positions && 4 * targets > profile.range_bytes;
}

void encode_ordered_scatter(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                            const Slot& slot) {
    const Span noted = encoder.allocate(kPieceBytes);
    encode_clear(encoder, noted, 0);
    const std::int64_t element = plan.slice_bytes;
    const std::int64_t fours = quotient_up(position_count(plan), kFour);
    const std::int64_t portions = quotient_up(fours, std::int64_t{kGroup} - 1);
    Constants constants = any_constants(plan, element, slot);
    constants.arguments[1] = narrow(fours);
    constants.arguments[2] = narrow(portions);
    Views views;
    views.read[0] = {tensors.items, element_format(element)};
    views.read[1] = {tensors.indices, Format::kR32};
    views.read[2] = any_indices(constants, tensors);
    views.written[0] = {tensors.table, element_format(element)};
    views.written[kWinnersRegister] = {noted, Format::kRaw};
    const std::int64_t groups = std::min<std::int64_t>(portions, kLookingGroups);
    encoder.queue.dispatch(Kernel::find_any_winners, constants, views,
                           static_cast<std::uint64_t>(groups) * kGroup);
    encoder.queue.skip_where(noted, false);
}

}  // namespace dmlindex::d3d12
