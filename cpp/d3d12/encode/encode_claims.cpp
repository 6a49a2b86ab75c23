#include <algorithm>
#include <optional>

#include "d3d12/encode/encode_moves.hpp"
#include "d3d12/encode/line.hpp"

namespace dmlindex::d3d12 {
namespace {

// Positions that a large GPU has at work at once, or some more.
constexpr std::int64_t kAtOnce = 1 << 18;
// Targets for each position from which on going by target has much to read.
constexpr std::int64_t kSparse = 5;

// Units up to which one kernel finds the last positions and stores them. Where a second one would
// go by position, it spares the cache as much again, and where most find a later position, it has
// little to store; by target a second one reads all of a large table's winners.
std::int64_t most_claimed(const Plan& plan, const Tensors& tensors,
                          const Profile& profile) noexcept {
    const std::int64_t positions = position_count(plan);
    const auto targets = static_cast<std::int64_t>(tensors.table.bytes) / plan.slice_bytes;
    const bool by_target = goes_by_target(plan, targets, profile);
    const bool has_singles = is_single(plan.slice_bytes);
    const bool is_sparse = has_singles && kSparse * positions < targets;
    std::int64_t times = 1;
    if (!by_target) {
        times = has_singles ? 4 : 2;
    } else if (positions > targets || is_sparse) {
        times = 2;
    }
    return profile.claimed_positions * times;
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
    const std::int64_t at_once = std::min(kAtOnce, encoder.profile.claimed_positions);
    constants.arguments[2] = constants.arguments[0] > at_once ? 1 : 0;
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
