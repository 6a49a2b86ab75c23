#include "d3d12/encode/encode.hpp"

#include <algorithm>
#include <cstring>

#include "d3d12/backend.hpp"
#include "d3d12/encode/encode_moves.hpp"
#include "plan/facts.hpp"

namespace dmlindex::d3d12 {

bool moves_can_note(const Plan& plan) noexcept {
    return position_count(plan) > 0 && plan.slice_bytes > 0 && indices_are_packed(plan) &&
           !has_no_place(plan);
}

bool moves_can_hold(const Plan& plan, const Choice& choice) noexcept {
    if (choice.path == Path::kBlocks) return choice.blocks.position_step == 0;
    return plan.direction == Direction::kGather && choice.path != Path::kBytes &&
           choice.path != Path::kRows && choice.table_in == TableIn::kBuffer &&
           move_threads(plan, choice) <= kGroup;
}

namespace {

// For kernels that look only at those of the indices that lie in their window.
void encode_windows(const Encoder& encoder, Kernel kernel, Constants constants, const Span& indices,
                    std::int64_t threads) {
    const auto window = static_cast<std::uint64_t>(encoder.reach().words());
    for (std::uint64_t first = 0; first < indices.bytes; first += window) {
        Tensors tensors;
        tensors.indices = {indices.chunk, indices.offset + first,
                           std::min(window, indices.bytes - first)};
        constants.arguments[0] = static_cast<std::uint32_t>(first);
        constants.arguments[1] = static_cast<std::uint32_t>(tensors.indices.bytes);
        encoder.queue.dispatch(kernel, constants, raw_views(tensors),
                               static_cast<std::uint64_t>(threads));
    }
}

}  // namespace

void encode_capture(const Encoder& encoder, const Capture& capture, const Span& indices) {
    encode_windows(encoder, Kernel::keep_bad_index, constants_of(capture), indices, 1);
}

void encode_checks(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                   std::uint32_t slot) {
    if (encoder.typed_views && has_single_winners(plan) && indices_are_packed(plan) &&
        static_cast<std::int64_t>(tensors.indices.bytes) <= encoder.reach().pieces()) {
        // As if every tuple were a position of its own.
        Plan tuples = plan;
        tuples.rank = 1;
        tuples.dims[0] = {index_count(plan) / plan.coordinate_count, 0, 0, 0};
        Choice choice;
        choice.grid.inner = tuples.dims[0];
        Views views;
        views.read[1] = indices_view(plan, tensors);
        encoder.queue.dispatch(for_indices(kernels::find_single_winners, plan),
                               four_constants(tuples, choice, {slot, kSlotNotes}), views,
                               four_threads(tuples, choice));
        return;
    }
    encode_windows(encoder, Kernel::check_indices, check_constants(plan, slot), tensors.indices,
                   index_count(plan));
}

void encode_settling(const Encoder& encoder, std::uint32_t first_slot,
                     std::span<const Parents> parents) {
    Constants constants{};
    constants.slot = kNoSlot;
    constants.arguments[0] = first_slot / kSlotBytes;
    constants.arguments[1] = static_cast<std::uint32_t>(parents.size());
    std::memcpy(constants.pattern, parents.data(), parents.size_bytes());
    encoder.queue.dispatch(Kernel::inherit_failures, constants, {}, 1);
}

void encode_moves(const Encoder& encoder, const Plan& plan, const Choice& choice,
                  const Tensors& tensors, const Slot& slot) {
    // Kernels clamp what is out of range, and there is nothing in the table to clamp it to.
    if (has_no_place(plan)) return;
    if (plan.direction == Direction::kGather) {
        encode_gather(encoder, plan, choice, tensors, slot);
    } else if (choice.path == Path::kBlocks) {
        encode_blocks(encoder, plan, choice.blocks, tensors, slot);
    } else if (choice.path == Path::kLines && choice.lines.are_held) {
        encode_held_lines(encoder, plan, choice.lines, tensors, slot);
    } else if (plan.reduction == Reduction::kNone) {
        encode_scatter(encoder, plan, choice, tensors, slot);
    } else if (choice.path == Path::kLines) {
        encode_reduced_lines(encoder, plan, choice.lines, tensors, slot);
    } else {
        const Winners nans = encode_sum_source(encoder, plan, tensors, slot);
        encode_reduction(encoder, plan, tensors, slot, nans);
    }
}

void encode_sections(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                     const std::vector<Section>& sections, const Slot& slot,
                     const std::function<void()>& after_each) {
    if (has_no_place(plan)) return;
    if (plan.copies_source) encode_source_copy(encoder, plan, tensors, slot);
    Encoder apart = encoder;
    apart.winners = [](std::uint64_t, std::uint64_t) { return Winners{}; };
    for (const Section& section : sections) {
        const Choice choice = choose(section.plan, section.tensors, encoder.reach());
        encode_moves(apart, section.plan, choice, section.tensors, slot);
        after_each();
    }
}

void encode_clear(const Encoder& encoder, const Span& span, std::uint32_t word) {
    Constants constants{};
    constants.slot = kNoSlot;
    constants.arguments[0] = word;
    Views views;
    if (encoder.typed_views) {
        views.written[0] = {span, Format::kRgba32};
        encoder.queue.dispatch(Kernel::fill_pieces, constants, views,
                               quotient_up(span.bytes, kPieceBytes));
    } else {
        views.written[0].span = span;
        encoder.queue.dispatch(Kernel::fill_words, constants, views, quotient_up(span.bytes, 4));
    }
}

void encode_copy(const Encoder& encoder, const Span& to, const Span& from, std::uint64_t bytes) {
    if (bytes == 0) return;
    Plan plan{};
    plan.element_bytes = 1;
    plan.copy_bytes = static_cast<std::int64_t>(round_up(bytes, kPieceBytes));
    Tensors tensors;
    tensors.table = to;
    tensors.source = from;
    encode_source_copy(encoder, plan, tensors, {});
}

}  // namespace dmlindex::d3d12
