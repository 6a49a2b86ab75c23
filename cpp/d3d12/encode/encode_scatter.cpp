#include <algorithm>

#include "d3d12/encode/blocks.hpp"
#include "d3d12/encode/encode_moves.hpp"
#include "d3d12/encode/line.hpp"

namespace dmlindex::d3d12 {
namespace {

// Positions of which each has a thread to claim its target where all are claimed by a kernel of its
// own, in claimed_positions.
constexpr std::int64_t kTimesClaimed = 4;

// Parts of the positions, of a group's size, that a group has in all ranges but the first.
constexpr std::uint64_t kPartsTogether = 8;

// Ranges of so many targets each that find_single_winners goes through all positions for; size 0:
// all targets are one.
struct Ranges {
    std::uint64_t count = 1;
    std::int64_t size = 0;
};

Ranges find_ranges(const Plan& plan, const Choice& choice, std::int64_t targets,
                   const Profile& profile) noexcept {
    // Where neighbours share no part of the cache anyway, it is less that ranges cost them.
    constexpr std::int64_t kTimesApart = 8;
    const std::int64_t count = quotient_up(4 * targets, profile.range_bytes);
    const std::int64_t most =
        profile.targets_in_ranges * (has_targets_apart(plan) ? kTimesApart : 1);
    if (choice.has_stripes || slices_may_cross(plan) || count < 2 || count > profile.most_ranges ||
        targets > position_count(plan) * most) {
        return {};
    }
    return {static_cast<std::uint64_t>(count), quotient_up(targets, count)};
}

// The groups that go through them, so many for all positions of one: of later ranges each has
// several parts.
std::uint64_t groups_of(const Ranges& ranges, std::uint64_t parts) noexcept {
    return parts + (ranges.count - 1) * quotient_up(parts, kPartsTogether);
}

// Finds the last position that names each target.
Winners encode_winners(const Encoder& encoder, const Plan& plan, const Choice& choice,
                       const Tensors& tensors, const Slot& slot, Constants& constants) {
    Choice marking = choice;  // targets are numbered as elements are
    marking.unit = constants.target_bytes;
    // Groups claim in order of positions. Stripes have another, and share targets where those wrap.
    if (plan.is_linear) marking.has_stripes = false;
    const bool has_grid =
        encoder.typed_views && has_single_winners(plan) && find_grid(plan, marking.grid);
    const Ranges ranges =
        has_grid ? find_ranges(plan, marking, constants.target_count, encoder.profile) : Ranges{};
    const std::uint64_t groups = quotient_up(four_threads(plan, marking), kGroup);
    // Where there are ranges, each group may note that it has done all.
    const Winners winners =
        winners_for(encoder, plan, constants, ranges.size == 0 ? 0 : narrow(groups));
    constants.winners_base = winners.base;
    const std::uint32_t few_for_each = has_few_for_each(plan, constants.target_count);
    if (encoder.typed_views && fits_any_dims(plan) && ranges.size == 0 &&
        position_count(plan) <= kTimesClaimed * encoder.profile.claimed_positions) {
        encode_claims(encoder, any_constants(plan, constants.target_bytes, slot), {}, tensors,
                      winners);
        return winners;
    }
    if (has_grid) {
        Constants four = four_constants(plan, marking, slot);
        four.arguments[1] = static_cast<std::uint32_t>(four_threads(plan, marking));
        four.winners_base = winners.base;
        four.target_bytes = constants.target_bytes;
        four.target_count = constants.target_count;
        four.arguments[2] = narrow(ranges.size);
        four.pattern[0][0] = few_for_each;
        four.pattern[0][1] = narrow(kPartsTogether);
        Views views;
        views.read[1] = indices_view(plan, tensors);
        views.written[kWinnersRegister] = {winners.span, Format::kRaw};
        encoder.queue.dispatch(for_indices(kernels::find_single_winners, plan), four, views,
                               groups_of(ranges, groups) * kGroup);
    } else if (encoder.typed_views && fits_any_dims(plan)) {
        Constants any = any_constants(plan, constants.target_bytes, slot);
        any.arguments[1] = narrow(quotient_up(position_count(plan), kFour));
        any.winners_base = winners.base;
        any.pattern[0][0] = few_for_each;
        Views views;
        views.read[1] = {tensors.indices, Format::kR32};
        views.read[2] = any_indices(any, tensors);
        views.written[kWinnersRegister] = {winners.span, Format::kRaw};
        encoder.queue.dispatch(Kernel::find_any_winners, any, views, any.arguments[1]);
    } else {
        Views views;  // the table and items may be further than views of this kind reach
        views.written[2].span = tensors.indices;
        views.written[kWinnersRegister].span = winners.span;
        encoder.queue.dispatch(Kernel::find_winners, constants, views,
                               static_cast<std::uint64_t>(position_count(plan)));
    }
    return winners;
}

// Targets for each position up to which a scatter goes by target, in eighths of what a profile's
// slices_copied says. In place there is no copy to make meanwhile, so that it only pays for what is
// stored in parts otherwise, and most for slices whose ends are bytes or halves.
std::int64_t eighths_by_target(const Plan& plan, std::uint64_t table_bytes) noexcept {
    constexpr std::int64_t kShortSlice = 64;
    if (plan.copies_source) return copies_all(plan, table_bytes) ? 8 : 0;
    const std::int64_t unit = unit_of(plan);
    if (unit == kPieceBytes) return 0;
    if (unit >= kWord) return 1;
    return plan.slice_bytes < kShortSlice ? 6 : 2;
}

// Whether what is left of a scatter whose winners are known is done by target, and its copy in the
// same pass.
bool can_go_by_target(const Encoder& encoder, const Plan& plan, const Tensors& tensors) {
    const auto bytes = static_cast<std::int64_t>(tensors.table.bytes);
    const std::int64_t eighths = eighths_by_target(plan, tensors.table.bytes);
    return encoder.typed_views && !plan.is_linear && items_are_packed(plan) &&
           table_step(plan) == plan.slice_bytes && bytes % plan.slice_bytes == 0 &&
           bytes <= encoder.reach().pieces() &&
           position_count(plan) * encoder.profile.slices_copied * eighths >=
               8 * (bytes / plan.slice_bytes);
}

// The same of single elements, also in place.
bool can_scatter_winners(const Encoder& encoder, const Plan& plan, const Choice& choice,
                         const Tensors& tensors) {
    return encoder.typed_views &&
           (choice.path == Path::kSingles || has_single_targets(plan, tensors, encoder.reach())) &&
           static_cast<std::int64_t>(tensors.items.bytes) <= plan.slice_bytes * encoder.texels &&
           (copies_all(plan, tensors.table.bytes) || !plan.copies_source) &&
           goes_by_target(plan, static_cast<std::int64_t>(tensors.table.bytes) / plan.slice_bytes,
                          encoder.profile);
}

void encode_scatter_winners(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                            const Slot& slot, const Winners& winners) {
    Constants constants = plan_constants(plan, slot);
    constants.winners_base = winners.base;
    const std::int64_t element = plan.slice_bytes;
    const std::int64_t targets = static_cast<std::int64_t>(tensors.table.bytes) / element;
    constants.arguments[0] = narrow(targets);
    constants.arguments[1] = plan.copies_source ? 0 : 1;
    Views views;
    views.read[0] = {tensors.items, element_format(element)};
    views.read[1] = {winners.span, Format::kRgba32};
    views.read[2] = {plan.copies_source ? tensors.source : tensors.table, four_format(element)};
    views.written[0] = {tensors.table, four_format(element)};
    encoder.queue.dispatch(kernels::scatter_winners(element), constants, views,
                           static_cast<std::uint64_t>(quotient_up(targets, kFour)));
}

void encode_scatter_singles(const Encoder& encoder, const Plan& plan, const Choice& choice,
                            const Tensors& tensors, const Slot& slot, const Winners& winners) {
    Constants constants = four_constants(plan, choice, slot);
    constants.arguments[1] = winners ? 1 : 0;
    constants.arguments[2] = narrow(choice.unit);
    constants.winners_base = winners.base;
    Views views;
    views.read[0] = {tensors.items, four_format(choice.unit)};
    views.read[1] = indices_view(plan, tensors);
    views.written[0] = {tensors.table, element_format(choice.unit)};
    views.written[kWinnersRegister] = {winners.span, Format::kRaw};
    encoder.queue.dispatch(for_indices(kernels::scatter_singles, plan), constants, views,
                           move_threads(plan, choice));
}

void encode_scatter_units(const Encoder& encoder, const Plan& plan, const Choice& choice,
                          const Tensors& tensors, Constants constants, const Winners& winners) {
    set_slice(plan.slice_bytes / choice.unit, constants);
    constants.arguments[0] = winners ? 1 : 0;
    Views views = raw_views(tensors);
    views.written[kWinnersRegister] = {winners.span, Format::kRaw};
    encoder.queue.dispatch(kernels::scatter_units(choice.unit), constants, views,
                           move_threads(plan, choice));
}

// What is left of a scatter whose winners are known, or that has none: each position by itself.
void encode_positions(const Encoder& encoder, const Plan& plan, const Choice& choice,
                      const Tensors& tensors, const Slot& slot, const Constants& constants,
                      const Winners& winners) {
    switch (choice.path) {
        case Path::kSingles:
            encode_scatter_singles(encoder, plan, choice, tensors, slot, winners);
            break;
        case Path::kRows:
            encode_rows(encoder, plan, choice, tensors, constants, winners);
            break;
        case Path::kBytes:
            encode_scatter_bytes(encoder, plan, tensors, constants, winners);
            break;
        default:
            encode_scatter_units(encoder, plan, choice, tensors, constants, winners);
    }
}

// How many positions a dispatch of scatter_in_order goes through: Windows gives it two seconds, and
// lavapipe ends the loops of a thread after 65535 rounds in all, the last ones' tests included.
std::int64_t positions_in_order(const Plan& plan, std::int64_t unit) noexcept {
    constexpr std::int64_t kRounds = 60000;
    const std::int64_t locating = plan.rank + 1;
    const std::int64_t resolving = plan.coordinate_count * (plan.mode == Mode::kWrap ? 34 : 1) + 1;
    const std::int64_t storing = plan.slice_bytes / unit / kInOrderThreads + 2;
    const std::int64_t tries = unit < 4 ? 4 : 1;  // of a word, of which other threads store parts
    return std::max<std::int64_t>(kRounds / (1 + locating + resolving + storing * tries), 1);
}

// All updates, one after the other: where slices overlap in part, once more. winners says behind
// its last whether they do.
void encode_in_order(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                     Constants constants, const Winners& winners) {
    std::int64_t unit =
        encoder.typed_views ? unit_of(plan) : std::min<std::int64_t>(unit_of(plan), 4);
    if (unit == 2) unit = 1;  // there is no kernel for two
    set_slice(plan.slice_bytes / unit, constants);
    constants.arguments[2] = kInOrderThreads;
    Views views = raw_views(tensors);
    if (unit == 16) {
        views.read[0] = {tensors.items, Format::kRgba32};
        views.read[1] = {tensors.indices, Format::kR32};
        views.written[0] = {tensors.table, Format::kRgba32};
    }
    views.written[kWinnersRegister] = {winners.span, Format::kRaw};
    const std::int64_t positions = position_count(plan);
    const std::int64_t each = positions_in_order(plan, unit);
    for (std::int64_t first = 0; first < positions; first += each) {
        constants.arguments[0] = narrow(first);
        constants.arguments[1] = narrow(std::min(first + each, positions));
        encoder.queue.dispatch(kernels::scatter_in_order(unit), constants, views, kInOrderThreads);
    }
}

// A scatter in which the last write wins.
void encode_last_wins(const Encoder& encoder, const Plan& plan, const Choice& choice,
                      const Tensors& tensors, const Slot& slot, Constants constants) {
    set_targets(plan, tensors, constants);
    const Winners winners = encode_winners(encoder, plan, choice, tensors, slot, constants);
    if (can_scatter_winners(encoder, plan, choice, tensors)) {
        encode_scatter_winners(encoder, plan, tensors, slot, winners);
        return;
    }
    if (can_go_by_target(encoder, plan, tensors)) {
        encode_scatter_slices(encoder, plan, tensors, constants, winners);
        return;
    }
    if (plan.copies_source) encode_source_copy(encoder, plan, tensors, slot);
    encode_positions(encoder, plan, choice, tensors, slot, constants, winners);
    if (slices_may_cross(plan)) encode_in_order(encoder, plan, tensors, constants, winners);
}

}  // namespace

void encode_scatter(const Encoder& encoder, const Plan& plan, const Choice& choice,
                    const Tensors& tensors, const Slot& slot) {
    const std::int64_t positions = position_count(plan);
    const std::int64_t units = positions * (plan.slice_bytes / choice.unit);
    Constants constants = plan_constants(plan, slot);
    if (units > 0 && has_many_targets(plan, tensors, encoder.reach())) {
        Winners winners;
        winners.span = encoder.allocate(4);
        encode_clear(encoder, winners.span, 1);
        encode_in_order(encoder, plan, tensors, constants, winners);
        return;
    }
    if (choice.path == Path::kLines) {
        if (plan.copies_source) encode_source_copy(encoder, plan, tensors, slot);
        encode_scatter_lines(encoder, plan, choice.lines, tensors, slot);
        return;
    }
    const bool may_meet = !plan.unique_indices && !choice.are_apart && positions > 1;
    if (!choice.compares && units > 0 && may_meet) {
        const bool looks = looks_for_order(encoder, plan, tensors);
        if (!looks && encode_claimed(encoder, plan, tensors, slot)) return;
        if (looks) encode_ordered_scatter(encoder, plan, tensors, slot);
        encode_last_wins(encoder, plan, choice, tensors, slot, constants);
        if (looks) encoder.queue.skip_where({});
        return;
    }
    if (choice.compares) constants.target_count = kCompared;
    if (plan.copies_source) encode_source_copy(encoder, plan, tensors, slot);
    if (units == 0) return;
    if (plan.unique_indices && encode_unique_scatter(encoder, plan, choice, tensors, slot)) return;
    encode_positions(encoder, plan, choice, tensors, slot, constants, {});
}

}  // namespace dmlindex::d3d12
