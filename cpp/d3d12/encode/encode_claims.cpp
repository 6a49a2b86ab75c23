#include <optional>

#include "d3d12/encode/encode_moves.hpp"
#include "d3d12/encode/line.hpp"

namespace dmlindex::d3d12 {
namespace {

// Units up to which one kernel finds the last positions and stores them. Where a second one would
// go by position, it spares the cache as much again, and where most find a later position, it has
// little to store.
std::int64_t most_claimed(const Plan& plan, const Tensors& tensors,
                          const Profile& profile) noexcept {
    const std::int64_t positions = position_count(plan);
    const auto targets = static_cast<std::int64_t>(tensors.table.bytes) / plan.slice_bytes;
    const bool by_target = goes_by_target(positions, targets, false, profile);
    return profile.claimed_positions * (by_target && positions <= targets ? 1 : 2);
}

// A scatter in place whose last positions are found and stored by one kernel, unit by unit: as one
// of units of up to 16 bytes. Nothing for others.
std::optional<Plan> claimed_units(const Encoder& encoder, const Plan& plan,
                                  const Tensors& tensors) {
    constexpr std::int64_t kMostUnits = 64;  // of a slice: of longer ones, places are found once
    const std::int64_t slice = plan.slice_bytes;
    const std::int64_t unit = is_single(slice) ? slice : unit_of(plan);
    const std::int64_t reached = unit * encoder.texels;
    if (!encoder.typed_views || plan.copies_source || !fits_any_dims(plan) ||
        !items_are_packed(plan) || table_step(plan) % unit != 0 || slice > kMostUnits * unit ||
        plan.rank == kMaxDeviceDims ||
        position_count(plan) * (slice / unit) > most_claimed(plan, tensors, encoder.profile) ||
        static_cast<std::int64_t>(tensors.items.bytes) > reached ||
        static_cast<std::int64_t>(tensors.table.bytes) > reached) {
        return std::nullopt;
    }
    return with_units(plan, unit);
}

}  // namespace

Winners winners_for(const Encoder& encoder, const Plan& plan, const Constants& constants,
                    std::uint32_t more) {
    const bool may_cross = slices_may_cross(plan);
    Winners winners;
    if (!may_cross) {
        winners = encoder.winners(std::uint64_t{constants.target_count} + more,
                                  static_cast<std::uint64_t>(position_count(plan)));
    }
    if (winners) return winners;
    const std::uint64_t words = std::uint64_t{constants.target_count} + more + (may_cross ? 1 : 0);
    winners.span = encoder.allocate(4 * words);
    encode_clear(encoder, winners.span, 0);
    return winners;
}

void encode_claims(const Encoder& encoder, Constants constants, Views views, const Tensors& tensors,
                   const Winners& winners) {
    constants.winners_base = winners.base;
    constants.arguments[1] = views.written[0].span ? 1 : 0;
    views.read[1] = {tensors.indices, Format::kR32};
    views.written[kWinnersRegister] = {winners.span, Format::kRaw};
    encoder.queue.dispatch(Kernel::claim_targets, constants, views,
                           quotient_up(constants.arguments[0], kClaimThreads) * kGroup);
}

bool encode_claimed(const Encoder& encoder, const Plan& whole, const Tensors& tensors,
                    const Slot& slot) {
    const std::optional<Plan> units = claimed_units(encoder, whole, tensors);
    if (!units) return false;
    const Plan& plan = *units;
    Constants constants = any_constants(plan, plan.slice_bytes, slot);
    constants.target_count =
        narrow(static_cast<std::int64_t>(tensors.table.bytes) / plan.slice_bytes);
    Views views;
    views.read[0] = {tensors.items, element_format(plan.slice_bytes)};
    views.written[0] = {tensors.table, element_format(plan.slice_bytes)};
    encode_claims(encoder, constants, views, tensors, winners_for(encoder, plan, constants));
    return true;
}

}  // namespace dmlindex::d3d12
