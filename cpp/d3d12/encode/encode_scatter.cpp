#include <algorithm>

#include "d3d12/encode/encode_moves.hpp"
#include "d3d12/encode/line.hpp"

namespace dmlindex::d3d12 {
namespace {

bool copies_all(const Plan& plan, const Tensors& tensors) {
    return plan.copies_source && plan.copy_rank == 0 &&
           plan.copy_bytes == static_cast<std::int64_t>(tensors.table.bytes);
}

Winners winners_for(const Encoder& encoder, const Plan& plan, const Constants& constants) {
    const std::uint64_t notes = slices_may_cross(plan) ? 1 : 0;
    Winners winners;
    if (notes == 0) {
        winners = encoder.winners(constants.target_count,
                                  static_cast<std::uint64_t>(position_count(plan)));
    }
    if (winners) return winners;
    winners.span = encoder.allocate(std::uint64_t{4} * (constants.target_count + notes));
    encode_clear(encoder, winners.span, 0);
    return winners;
}

// Finds the last position that names each target.
Winners encode_winners(const Encoder& encoder, const Plan& plan, const Choice& choice,
                       const Tensors& tensors, const Slot& slot, Constants& constants) {
    const Winners winners = winners_for(encoder, plan, constants);
    constants.winners_base = winners.base;
    Choice marking = choice;  // targets are numbered as elements are
    marking.unit = constants.target_bytes;
    if (encoder.typed_views && has_index_kernels(plan) && find_grid(plan, marking.grid)) {
        Constants four = four_constants(plan, marking, slot);
        four.arguments[1] = static_cast<std::uint32_t>(four_threads(plan, marking));
        four.winners_base = winners.base;
        four.target_bytes = constants.target_bytes;
        four.target_count = constants.target_count;
        Views views;
        views.read[1] = indices_view(plan, tensors);
        views.written[4] = {winners.span, Format::kRaw};
        encoder.queue.dispatch(for_indices(kernels::find_single_winners, plan), four, views,
                               four_threads(plan, marking));
    } else if (encoder.typed_views && fits_any_dims(plan)) {
        Constants any = any_constants(plan, constants.target_bytes, slot);
        any.arguments[1] = narrow(quotient_up(position_count(plan), kFour));
        any.winners_base = winners.base;
        Views views;
        views.read[1] = {tensors.indices, Format::kR32};
        views.written[4] = {winners.span, Format::kRaw};
        encoder.queue.dispatch(Kernel::find_any_winners, any, views, any.arguments[1]);
    } else {
        Views views = raw_views(tensors);
        views.written[4] = {winners.span, Format::kRaw};
        encoder.queue.dispatch(Kernel::find_winners, constants, views,
                               static_cast<std::uint64_t>(position_count(plan)));
    }
    return winners;
}

// Whether encode_scatter_winners does what is left of a scatter whose winners are known; its copy
// too.
bool can_scatter_winners(const Encoder& encoder, const Plan& plan, const Choice& choice,
                         const Tensors& tensors) {
    return encoder.typed_views &&
           (choice.path == Path::kSingles || has_single_targets(plan, tensors, encoder.reach())) &&
           (copies_all(plan, tensors) || !plan.copies_source) &&
           goes_by_target(position_count(plan),
                          static_cast<std::int64_t>(tensors.table.bytes) / plan.slice_bytes,
                          plan.copies_source, encoder.profile);
}

void encode_scatter_winners(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                            const Slot& slot, const Winners& winners) {
    Constants constants = plan_constants(plan, slot);
    constants.winners_base = winners.base;
    const std::int64_t element = plan.slice_bytes;
    const std::int64_t targets = static_cast<std::int64_t>(tensors.table.bytes) / element;
    constants.arguments[0] = narrow(targets);
    Views views;
    views.read[0] = {tensors.items, element_format(element)};
    views.read[1] = {winners.span, Format::kRgba32};
    views.written[0] = {tensors.table, element == 8 ? Format::kRg32 : Format::kR32};
    Kernel kernel = kernels::scatter_winners_in_place(element);
    if (plan.copies_source) {
        views.read[2] = {tensors.source, four_format(element)};
        views.written[0].format = four_format(element);
        kernel = kernels::scatter_winners(element);
    }
    encoder.queue.dispatch(kernel, constants, views,
                           static_cast<std::uint64_t>(quotient_up(targets, kFour)));
}

// Where slices overlap in part, their updates once more, one after the other.
void encode_in_order(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                     Constants constants, const Winners& winners) {
    constexpr std::int64_t kPositions = 1 << 20;  // of a dispatch: Windows gives it two seconds
    const std::int64_t unit =
        encoder.typed_views ? unit_of(plan) : std::min<std::int64_t>(unit_of(plan), 4);
    set_slice(plan.slice_bytes / unit, constants);
    constants.arguments[2] = kInOrderThreads;
    Views views = raw_views(tensors);
    if (unit == 16) {
        views.read[0] = {tensors.items, Format::kRgba32};
        views.read[1] = {tensors.indices, Format::kR32};
        views.written[0] = {tensors.table, Format::kRgba32};
    }
    views.written[4] = {winners.span, Format::kRaw};
    const std::int64_t positions = position_count(plan);
    for (std::int64_t first = 0; first < positions; first += kPositions) {
        constants.arguments[0] = narrow(first);
        constants.arguments[1] = narrow(std::min(first + kPositions, positions));
        encoder.queue.dispatch(kernels::scatter_in_order(unit), constants, views, kInOrderThreads);
    }
}

}  // namespace

void encode_scatter(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                    const Slot& slot) {
    Choice choice = choose(plan, tensors, encoder.reach());
    const std::int64_t positions = position_count(plan);
    const std::int64_t units = positions * (plan.slice_bytes / choice.unit);
    Constants constants = plan_constants(plan, slot);
    Winners winners;
    if (units > 0 && !plan.unique_indices && positions > 1) {
        set_targets(plan, tensors, constants);
        winners = encode_winners(encoder, plan, choice, tensors, slot, constants);
        if (can_scatter_winners(encoder, plan, choice, tensors)) {
            encode_scatter_winners(encoder, plan, tensors, slot, winners);
            return;
        }
    }
    if (plan.copies_source) encode_source_copy(encoder, plan, tensors, slot);
    if (units == 0) return;
    if (choice.path == Path::kSingles && choice.unit == 4) {
        Constants four = four_constants(plan, choice, slot);
        four.arguments[1] = winners ? 1 : 0;
        four.winners_base = winners.base;
        Views views;
        views.read[0] = {tensors.items, Format::kRgba32};
        views.read[1] = indices_view(plan, tensors);
        views.written[0] = {tensors.table, Format::kR32};
        views.written[4] = {winners.span, Format::kRaw};
        encoder.queue.dispatch(for_indices(kernels::scatter_singles, plan), four, views,
                               four_threads(plan, choice));
    } else if (choice.path == Path::kRows) {
        encode_rows(encoder, plan, choice, tensors, constants, winners);
    } else {
        const std::int64_t unit = unit_of(plan);
        set_slice(plan.slice_bytes / unit, constants);
        constants.arguments[0] = winners ? 1 : 0;
        Views views = raw_views(tensors);
        views.written[4] = {winners.span, Format::kRaw};
        encoder.queue.dispatch(kernels::scatter_units(unit), constants, views,
                               static_cast<std::uint64_t>(positions * (plan.slice_bytes / unit)));
    }
    if (winners && slices_may_cross(plan)) {
        encode_in_order(encoder, plan, tensors, constants, winners);
    }
}

}  // namespace dmlindex::d3d12
