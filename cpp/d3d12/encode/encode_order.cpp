// Scatters for which nobody finds out which write is the last: those in place whose targets may be
// in order of positions, and those of which no two positions share a target.

#include <algorithm>

#include "d3d12/encode/encode_moves.hpp"

namespace dmlindex::d3d12 {
namespace {

// Parts of the positions, of a group's size, that a group has in all ranges but the first.
constexpr std::uint64_t kPartsTogether = 8;

// Of a table for each position, up to which it pays to go through all positions once for each range
// that stays in the cache.
constexpr std::int64_t kBytesInRanges = 12;

// What find_any_winners takes to store items.
Views storing_views(const Plan& plan, const Constants& constants, const Tensors& tensors,
                    const Span& noted) {
    Views views;
    views.read[0] = {tensors.items, element_format(plan.slice_bytes)};
    views.read[1] = {tensors.indices, Format::kR32};
    views.read[2] = any_indices(constants, tensors);
    views.written[0] = {tensors.table, element_format(plan.slice_bytes)};
    views.written[kWinnersRegister] = {noted, Format::kRaw};
    return views;
}

// Whether the kernel can do that.
bool can_store(const Encoder& encoder, const Plan& plan, const Tensors& tensors) noexcept {
    return encoder.typed_views && fits_any_dims(plan) && !has_targets_apart(plan) &&
           has_single_targets(plan, tensors, encoder.reach()) &&
           static_cast<std::int64_t>(tensors.items.bytes) <= plan.slice_bytes * encoder.texels;
}

}  // namespace

bool looks_for_order(const Encoder& encoder, const Plan& plan, const Tensors& tensors) noexcept {
    const Profile& profile = encoder.profile;
    const std::int64_t targets = static_cast<std::int64_t>(tensors.table.bytes) / plan.slice_bytes;
    return !plan.copies_source && can_store(encoder, plan, tensors) &&
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
    const std::int64_t groups = std::min<std::int64_t>(portions, kLookingGroups);
    encoder.queue.dispatch(Kernel::find_any_winners, constants,
                           storing_views(plan, constants, tensors, noted),
                           static_cast<std::uint64_t>(groups) * kGroup);
    encoder.queue.skip_where(noted, false);
}

bool encode_unique_scatter(const Encoder& encoder, const Plan& plan, const Choice& choice,
                           const Tensors& tensors, const Slot& slot) {
    const Profile& profile = encoder.profile;
    const std::int64_t positions = position_count(plan);
    const auto bytes = static_cast<std::int64_t>(tensors.table.bytes);
    // A table that stays in the cache is written to as quickly in any order.
    if (choice.has_stripes || bytes <= profile.range_bytes ||
        positions < profile.ordered_positions || !can_store(encoder, plan, tensors)) {
        return false;
    }
    const std::int64_t element = plan.slice_bytes;
    const std::int64_t ranges = quotient_up(bytes, profile.range_bytes);
    const bool has_ranges = ranges <= profile.most_ranges && bytes <= kBytesInRanges * positions;
    const std::int64_t fours = quotient_up(positions, kFour);
    const auto parts = static_cast<std::uint64_t>(quotient_up(fours, std::int64_t{kGroup}));
    Constants constants = any_constants(plan, element, slot);
    Winners noted;
    if (has_ranges)
        noted = winners_for(encoder, plan, constants, static_cast<std::uint32_t>(parts));
    constants.winners_base = noted.base;
    constants.arguments[1] = narrow(fours);
    const std::int64_t range = has_ranges ? quotient_up(bytes / element, ranges) : 0;
    constants.pattern[1] = {1, narrow(range), narrow(kPartsTogether), 0};
    std::uint64_t groups = parts;
    if (has_ranges) {
        groups += static_cast<std::uint64_t>(ranges - 1) * quotient_up(parts, kPartsTogether);
    }
    encoder.queue.dispatch(Kernel::find_any_winners, constants,
                           storing_views(plan, constants, tensors, noted.span), groups * kGroup);
    return true;
}

}  // namespace dmlindex::d3d12
