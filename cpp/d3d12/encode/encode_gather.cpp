#include <algorithm>
#include <vector>

#include "d3d12/encode/encode_moves.hpp"

namespace dmlindex::d3d12 {
std::uint64_t move_threads(const Plan& plan, const Choice& choice) noexcept {
    if (choice.path == Path::kSingles) return four_threads(plan, choice);
    const std::int64_t units = position_count(plan) * (plan.slice_bytes / choice.unit);
    const std::int64_t each = choice.path == Path::kAny    ? kFour
                              : choice.path == Path::kRows ? kPiecesAThread
                                                           : 1;
    return static_cast<std::uint64_t>(quotient_up(units, each));
}

namespace {

void encode_gather_table(const Encoder& encoder, const Plan& plan, const Choice& choice,
                         Constants constants, Views views) {
    const TableWalk walk = table_walk(plan, choice);
    constants.arguments[1] = narrow(walk.line_fours);
    constants.arguments[2] = narrow(walk.rounds);
    constants.arguments[3] = narrow(walk.line_elements);
    constants.target_bytes = narrow(choice.unit);
    if (choice.table_in == TableIn::kGroupAndBuffer) views.read[2] = views.read[0];
    views.read[0].format = Format::kRgba32;
    // The queue counts groups by threads; these have a size of their own.
    encoder.queue.dispatch(gather_singles_kernel(choice, plan), constants, views,
                           static_cast<std::uint64_t>(walk.groups) * kGroup);
}

// Copies the table to the texture.
void use_texture(const Encoder& encoder, std::int64_t elements, Views& views) {
    Views copied;
    copied.read[0] = views.read[0];
    copied.written[1] = {encoder.texture(), Format::kR32};
    Constants constants{};
    constants.slot = kNoSlot;
    encoder.queue.dispatch(Kernel::copy_to_texture, constants, copied,
                           static_cast<std::uint64_t>(elements));
    views.read[2] = copied.written[1];
}

void encode_gather_singles(const Encoder& encoder, const Plan& plan, const Choice& choice,
                           const Tensors& tensors, const Slot& slot) {
    Constants constants = four_constants(plan, choice, slot);
    constants.arguments[1] = narrow(choice.unit);
    set_pattern(plan, choice.unit, constants);
    Views views;
    views.read[0] = {tensors.table, element_format(choice.unit)};
    views.read[1] = indices_view(plan, tensors);
    views.written[0] = {tensors.items, four_format(choice.unit)};
    if (uses_texture(choice.table_in)) use_texture(encoder, held_line(plan), views);
    if (choice.table_in == TableIn::kBuffer || choice.table_in == TableIn::kTexture) {
        encoder.queue.dispatch(gather_singles_kernel(choice, plan), constants, views,
                               move_threads(plan, choice));
    } else {
        encode_gather_table(encoder, plan, choice, constants, views);
    }
}

// Whether the four indices of a tuple are better loaded at once. (An H100: of 8 bytes for 2^23
// positions they take 1.2 of the time.)
bool loads_tuples(const Plan& plan) noexcept {
    constexpr std::int64_t kMostOfEight = 1 << 22;
    return plan.coordinate_count == kFour && tuples_follow_positions(plan) &&
           (index_bytes(plan.index_type) < 8 || position_count(plan) <= kMostOfEight);
}

void encode_gather_any(const Encoder& encoder, const Plan& plan, const Choice& choice,
                       const Tensors& tensors, const Slot& slot) {
    const Plan units = with_units(plan, choice.unit);
    Constants constants = any_constants(units, choice.unit, slot);
    if (loads_tuples(units)) constants.arguments[3] = kFour;
    constants.arguments[1] = narrow(choice.unit);
    set_pattern(plan, choice.unit, constants);
    Views views;
    views.read[0] = {tensors.table, element_format(choice.unit)};
    views.read[1] = {tensors.indices, Format::kR32};
    views.read[2] = any_indices(constants, tensors);
    views.written[0] = {tensors.items, four_format(choice.unit)};
    encoder.queue.dispatch(kernels::gather_any(kernel_element(choice.unit)), constants, views,
                           move_threads(plan, choice));
}

}  // namespace

void encode_rows(const Encoder& encoder, const Plan& plan, const Choice& choice,
                 const Tensors& tensors, Constants constants, const Winners& winners) {
    const std::int64_t pieces = position_count(plan) * (plan.slice_bytes / choice.unit);
    set_slice(plan.slice_bytes / choice.unit, constants);
    constants.arguments[0] = narrow(pieces);
    constants.arguments[1] = winners ? 1 : 0;
    const bool gathers = plan.direction == Direction::kGather;
    if (gathers) set_pattern(plan, choice.unit, constants);
    const Format format = choice.unit == 16 ? Format::kRgba32 : Format::kR32;
    Views views;
    views.read[0] = {gathers ? tensors.table : tensors.items, format};
    views.read[1] = {tensors.indices, Format::kR32};
    views.written[0] = {gathers ? tensors.items : tensors.table, format};
    views.written[kWinnersRegister] = {winners.span, Format::kRaw};
    encoder.queue.dispatch(rows_kernel(choice, plan.direction), constants, views,
                           move_threads(plan, choice));
}

void encode_gather(const Encoder& encoder, const Plan& plan, const Choice& choice,
                   const Tensors& tensors, const Slot& slot) {
    const std::int64_t units = position_count(plan) * (plan.slice_bytes / choice.unit);
    if (units == 0) return;
    if (choice.path == Path::kSingles) {
        encode_gather_singles(encoder, plan, choice, tensors, slot);
        return;
    }
    if (choice.path == Path::kAny) {
        encode_gather_any(encoder, plan, choice, tensors, slot);
        return;
    }
    if (choice.path == Path::kBytes) {
        encode_gather_bytes(encoder, plan, tensors, slot);
        return;
    }
    Constants constants = plan_constants(plan, slot);
    if (choice.path == Path::kRows) {
        encode_rows(encoder, plan, choice, tensors, constants, {});
        return;
    }
    set_slice(plan.slice_bytes / choice.unit, constants);
    set_pattern(plan, choice.unit, constants);
    encoder.queue.dispatch(kernels::gather_units(choice.unit), constants, raw_views(tensors),
                           move_threads(plan, choice));
}

bool encode_source_copy(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                        const Slot& slot, const Winners& nans) {
    const Plan copy = copy_plan(plan, tensors.table.bytes);
    if (encoder.typed_views && copy.rank == 0 && copy.slice_bytes % kPieceBytes == 0 &&
        copy.slice_bytes > 0 && copy.slice_bytes <= encoder.reach().pieces()) {
        Views views;
        views.read[0] = {tensors.source, Format::kRgba32};
        views.written[0] = {tensors.table, Format::kRgba32};
        Constants constants = plan_constants(copy, slot);
        if (nans) {
            constants.arguments[1] = nans.base + 1;
            views.written[kWinnersRegister] = {nans.span, Format::kRaw};
        }
        const std::int64_t pieces = copy.slice_bytes / kPieceBytes;
        const std::int64_t groups = quotient_up(pieces, std::int64_t{kCopied} * kGroup);
        constants.arguments[2] = narrow(pieces);
        encoder.queue.dispatch(Kernel::copy_pieces, constants, views,
                               static_cast<std::uint64_t>(groups) * kGroup);
        return static_cast<bool>(nans);
    }
    Tensors between;
    between.table = tensors.source;
    between.items = tensors.table;
    const auto encode = [&](const Section& one) {
        const Choice choice = choose(one.plan, one.tensors, encoder.reach());
        encode_gather(encoder, one.plan, choice, one.tensors, slot);
    };
    const std::vector<Section> sections = find_sections(copy, between, encoder.reach());
    if (sections.empty()) encode({copy, between});
    std::for_each(sections.begin(), sections.end(), encode);
    return false;
}

}  // namespace dmlindex::d3d12
