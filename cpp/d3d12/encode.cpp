#include "d3d12/encode.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "d3d12/encode_reduction.hpp"
#include "error.hpp"

namespace dmlindex::d3d12 {
namespace {

// A raw or 32-bit view has at most 2^27 texels of 4 bytes, a typed one of 16.
constexpr std::int64_t kMaxRawBytes = std::int64_t{4} << 27;
constexpr std::int64_t kMaxTypedBytes = std::int64_t{16} << 27;
// Threads, positions and winners are counted in 32 bits, with room for what the last groups have
// too many.
constexpr std::int64_t kMaxCount = 0xff000000;

constexpr std::int64_t kPiecesAThread = 2;  // as in shaders/rows.hlsl
constexpr std::int64_t kFour = 4;           // positions a thread, as in shaders/four.hlsli
constexpr std::int64_t kStripeThreads = 32;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::kDevice, "d3d12: " + what + "; use device=\"cpu\"");
}

std::uint32_t narrow(std::int64_t value) { return static_cast<std::uint32_t>(value); }

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The indices' dims with neighbours merged: a position's number stays the same.
std::vector<IndexDim> merged_index_dims(const Plan& plan) {
    std::vector<IndexDim> merged;
    for (int d = 0; d < plan.index_rank; ++d) {
        const IndexDim& dim = plan.index_dims[d];
        if (dim.size == 1) continue;
        if (!merged.empty() && merged.back().index_stride == dim.index_stride * dim.size) {
            merged.back() = {merged.back().size * dim.size, dim.index_stride};
        } else {
            merged.push_back(dim);
        }
    }
    return merged;
}

void check_bytes(const char* what, const Span& span, std::int64_t limit) {
    if (static_cast<std::int64_t>(span.bytes) <= limit) return;
    refuse(std::string(what) + " has " + std::to_string(span.bytes) +
           " bytes, and a view here reaches " + std::to_string(limit) + " (2^27 texels)");
}

std::int64_t period_bytes(const Plan& plan, std::int64_t unit) {
    return plan.fill == nullptr ? unit : std::lcm(plan.element_bytes, unit);
}

void set_pattern(const Plan& plan, std::int64_t unit, Constants& constants) {
    const std::int64_t period = period_bytes(plan, unit);
    constants.pattern_units = narrow(period / unit);
    if (plan.fill == nullptr) return;
    for (std::int64_t at = 0; at < period; at += plan.element_bytes) {
        std::memcpy(constants.pattern + at, plan.fill,
                    static_cast<std::size_t>(plan.element_bytes));
    }
}

void set_slice(std::int64_t units, Constants& constants) {
    const auto count = static_cast<std::uint64_t>(units);
    constants.slice_units = narrow(units);
    constants.slice_shift =
        std::has_single_bit(count) ? static_cast<std::uint32_t>(std::countr_zero(count)) : 32;
}

Format element_format(std::int64_t bytes) noexcept {
    return bytes == 1   ? Format::kR8
           : bytes == 2 ? Format::kR16
           : bytes == 4 ? Format::kR32
                        : Format::kRg32;
}

// Four elements as a texel, or two of 8 bytes.
Format four_format(std::int64_t bytes) noexcept {
    return bytes == 1 ? Format::kR32 : bytes == 2 ? Format::kRg32 : Format::kRgba32;
}

Kernel gather_kernel(std::int64_t unit, bool packed) {
    switch (unit) {
        case 16:
            return Kernel::gather_16;
        case 4:
            return packed ? Kernel::gather_packed_4 : Kernel::gather_4;
        case 2:
            return packed ? Kernel::gather_packed_2 : Kernel::gather_2;
        default:
            return packed ? Kernel::gather_packed_1 : Kernel::gather_1;
    }
}

Kernel scatter_kernel(std::int64_t unit) {
    switch (unit) {
        case 16:
            return Kernel::scatter_16;
        case 4:
            return Kernel::scatter_4;
        case 2:
            return Kernel::scatter_2;
        default:
            return Kernel::scatter_1;
    }
}

void check_views(const Plan& plan, const Tensors& tensors, bool typed_views) {
    const Choice choice = choose(plan, tensors, typed_views);
    const bool typed =
        choice.path == Path::kRows && choice.unit == 16 && plan.reduction == Reduction::kNone;
    const std::int64_t limit = typed ? kMaxTypedBytes : kMaxRawBytes;
    check_bytes(plan.direction == Direction::kGather ? "input" : "output", tensors.table, limit);
    check_bytes(plan.direction == Direction::kGather ? "output" : "updates", tensors.items, limit);
}

void encode_rows(const Encoder& encoder, const Plan& plan, const Choice& choice,
                 const Tensors& tensors, Constants constants, const Span& winners) {
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
    views.written[4] = {winners, Format::kRaw};
    encoder.queue.dispatch(rows_kernel(choice, plan.direction), constants, views,
                           static_cast<std::uint64_t>(quotient_up(pieces, kPiecesAThread)));
}

void encode_pick(const Encoder& encoder, const Plan& plan, const Choice& choice,
                 const Tensors& tensors, const Slot& slot) {
    Constants constants = four_constants(plan, choice, slot);
    set_pattern(plan, choice.unit, constants);
    Views views;
    views.read[0] = {tensors.table, element_format(choice.unit)};
    views.read[1] = indices_view(plan, tensors);
    views.written[0] = {tensors.items, four_format(choice.unit)};
    encoder.queue.dispatch(pick_kernel(choice, plan), constants, views, four_threads(plan, choice));
}

void encode_gather(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                   const Slot& slot) {
    const Choice choice = choose(plan, tensors, encoder.typed_views);
    const std::int64_t units = position_count(plan) * (plan.slice_bytes / choice.unit);
    if (units == 0) return;
    if (choice.path == Path::kSingles) {
        encode_pick(encoder, plan, choice, tensors, slot);
        return;
    }
    Constants constants = plan_constants(plan, slot);
    if (choice.path == Path::kRows) {
        encode_rows(encoder, plan, choice, tensors, constants, {});
        return;
    }
    set_slice(plan.slice_bytes / choice.unit, constants);
    constants.arguments[0] = narrow(units);
    set_pattern(plan, choice.unit, constants);
    const bool packed = items_are_packed(plan);
    const std::int64_t each =
        packed && choice.unit < 16 ? (choice.unit == 4 ? 4 : 4 / choice.unit) : 1;
    encoder.queue.dispatch(gather_kernel(choice.unit, packed), constants, raw_views(tensors),
                           static_cast<std::uint64_t>(quotient_up(units, each)));
}

// Copying is gathering without a coordinate.
Plan copy_plan(const Plan& plan, std::uint64_t table_bytes) {
    Plan copy = plan;
    copy.direction = Direction::kGather;
    copy.reduction = Reduction::kNone;
    copy.coordinate_count = 0;
    copy.fill = nullptr;
    copy.rank = plan.copy_rank;
    copy.slice_bytes = plan.copy_bytes;
    for (int d = 0; d < plan.copy_rank; ++d) {
        const CopyDim& dim = plan.copy_dims[d];
        copy.dims[d] = {dim.size, dim.source_stride, dim.table_stride, 0};
    }
    // Nothing lies behind the end of a tensor, so that the last piece may be a whole one.
    const auto all = static_cast<std::int64_t>(table_bytes);
    if (copy.rank == 0 && copy.slice_bytes == all) copy.slice_bytes = (all + 15) / 16 * 16;
    return copy;
}

void encode_source_copy(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                        const Slot& slot) {
    const Plan copy = copy_plan(plan, tensors.table.bytes);
    if (encoder.typed_views && copy.rank == 0 && copy.slice_bytes % 16 == 0 &&
        copy.slice_bytes > 0) {
        Views views;
        views.read[0] = {tensors.source, Format::kRgba32};
        views.written[0] = {tensors.table, Format::kRgba32};
        encoder.queue.dispatch(Kernel::copy, plan_constants(copy, slot), views,
                               static_cast<std::uint64_t>(copy.slice_bytes / 16));
        return;
    }
    Tensors between;
    between.table = tensors.source;
    between.items = tensors.table;
    encode_gather(encoder, copy, between, slot);
}

bool copies_all(const Plan& plan, const Tensors& tensors) {
    return plan.copies_source && plan.copy_rank == 0 &&
           plan.copy_bytes == static_cast<std::int64_t>(tensors.table.bytes);
}

// For each target the last position that names it + 1, or 0.
Span encode_winners(const Encoder& encoder, const Plan& plan, const Choice& choice,
                    const Tensors& tensors, const Slot& slot, Constants& constants) {
    const Span winners = encoder.allocate(std::uint64_t{4} * constants.target_count);
    encode_clear(encoder, winners, 0);
    Choice marking = choice;  // targets are numbered as elements are
    marking.unit = constants.target_bytes;
    if (encoder.typed_views && has_index_kernels(plan) && find_grid(plan, marking.grid)) {
        Constants four = four_constants(plan, marking, slot);
        four.arguments[1] = 1;
        Views views;
        views.read[1] = indices_view(plan, tensors);
        views.written[4] = {winners, Format::kRaw};
        encoder.queue.dispatch(for_indices(Kernel::mark_4_1, plan), four, views,
                               four_threads(plan, marking));
    } else {
        Views views = raw_views(tensors);
        views.written[4] = {winners, Format::kRaw};
        encoder.queue.dispatch(Kernel::claim, constants, views,
                               static_cast<std::uint64_t>(position_count(plan)));
    }
    return winners;
}

// Whether encode_take does what is left of a scatter whose winners are known; its copy too.
bool can_take(const Plan& plan, const Choice& choice, const Tensors& tensors) {
    return choice.path == Path::kSingles &&
           (copies_all(plan, tensors) || (!plan.copies_source && choice.unit == 4)) &&
           goes_by_target(position_count(plan),
                          static_cast<std::int64_t>(tensors.table.bytes) / choice.unit);
}

void encode_take(const Encoder& encoder, const Plan& plan, const Choice& choice,
                 const Tensors& tensors, const Slot& slot, const Span& winners) {
    Constants constants = plan_constants(plan, slot);
    const std::int64_t targets = static_cast<std::int64_t>(tensors.table.bytes) / choice.unit;
    constants.arguments[0] = narrow(targets);
    Views views;
    views.read[0] = {tensors.items, element_format(choice.unit)};
    views.read[1] = {winners, Format::kRgba32};
    views.written[0] = {tensors.table, Format::kR32};
    Kernel kernel = Kernel::take_in_place;
    if (plan.copies_source) {
        views.read[2] = {tensors.source, four_format(choice.unit)};
        views.written[0].format = four_format(choice.unit);
        kernel = choice.unit == 1   ? Kernel::take_1
                 : choice.unit == 2 ? Kernel::take_2
                 : choice.unit == 4 ? Kernel::take_4
                                    : Kernel::take_8;
    }
    encoder.queue.dispatch(kernel, constants, views,
                           static_cast<std::uint64_t>(quotient_up(targets, kFour)));
}

void encode_scatter(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                    const Slot& slot) {
    Choice choice = choose(plan, tensors, encoder.typed_views);
    const std::int64_t positions = position_count(plan);
    const std::int64_t units = positions * (plan.slice_bytes / choice.unit);
    Constants constants = plan_constants(plan, slot);
    Span winners;
    if (units > 0 && !plan.unique_indices && positions > 1) {
        set_targets(plan, tensors, constants);
        winners = encode_winners(encoder, plan, choice, tensors, slot, constants);
        if (can_take(plan, choice, tensors)) {
            encode_take(encoder, plan, choice, tensors, slot, winners);
            return;
        }
    }
    if (plan.copies_source) encode_source_copy(encoder, plan, tensors, slot);
    if (units == 0) return;
    if (choice.path == Path::kSingles && choice.unit == 4) {
        Constants four = four_constants(plan, choice, slot);
        four.arguments[1] = winners ? 1 : 0;
        Views views;
        views.read[0] = {tensors.items, Format::kRgba32};
        views.read[1] = indices_view(plan, tensors);
        views.written[0] = {tensors.table, Format::kR32};
        views.written[4] = {winners, Format::kRaw};
        encoder.queue.dispatch(for_indices(Kernel::spread_4_1, plan), four, views,
                               four_threads(plan, choice));
    } else if (choice.path == Path::kRows) {
        encode_rows(encoder, plan, choice, tensors, constants, winners);
    } else {
        const std::int64_t unit = unit_of(plan);
        set_slice(plan.slice_bytes / unit, constants);
        constants.arguments[0] = winners ? 1 : 0;
        Views views = raw_views(tensors);
        views.written[4] = {winners, Format::kRaw};
        encoder.queue.dispatch(scatter_kernel(unit), constants, views,
                               static_cast<std::uint64_t>(positions * (plan.slice_bytes / unit)));
    }
}

}  // namespace

Views raw_views(const Tensors& tensors) {
    Views views;
    views.written[0].span = tensors.table;
    views.written[1].span = tensors.items;
    views.written[2].span = tensors.indices;
    return views;
}

View indices_view(const Plan& plan, const Tensors& tensors) noexcept {
    const bool narrow_ones = index_bytes(plan.index_type) * plan.coordinate_count == 1;
    return {tensors.indices, narrow_ones ? Format::kR32 : Format::kRgba32};
}

void set_targets(const Plan& plan, const Tensors& tensors, Constants& constants) {
    std::int64_t common = plan.slice_bytes;
    for (int d = 0; d < plan.rank; ++d) common = std::gcd(common, plan.dims[d].table_stride);
    for (int k = 0; k < plan.coordinate_count; ++k) {
        common = std::gcd(common, plan.coordinates[k].table_stride);
    }
    constants.target_bytes = narrow(common);
    const auto bytes = static_cast<std::int64_t>(tensors.table.bytes);
    constants.target_count = narrow(quotient_up(bytes, common));
}

Constants plan_constants(const Plan& plan, const Slot& slot) {
    Constants constants{};
    constants.slot = slot.offset;
    constants.notes = slot.notes ? 1 : 0;
    constants.mode = static_cast<std::uint32_t>(plan.mode);
    constants.index_bytes = narrow(index_bytes(plan.index_type));
    constants.index_signed = is_signed(plan.index_type) ? 1 : 0;
    constants.rank = static_cast<std::uint32_t>(plan.rank);
    constants.coordinate_count = static_cast<std::uint32_t>(plan.coordinate_count);
    constants.pattern_units = 1;
    constants.target_bytes = 1;
    for (int d = 0; d < plan.rank; ++d) {
        const Dim& dim = plan.dims[d];
        constants.dims[d] = {narrow(dim.size), narrow(dim.table_stride), narrow(dim.item_stride),
                             narrow(dim.index_stride)};
    }
    for (int k = 0; k < plan.coordinate_count; ++k) {
        const Coordinate& coordinate = plan.coordinates[k];
        constants.coordinates[k] = {narrow(coordinate.limit), narrow(coordinate.table_stride),
                                    narrow(coordinate.index_offset), 0};
    }
    return constants;
}

Constants four_constants(const Plan& plan, const Choice& choice, const Slot& slot) {
    Constants constants = plan_constants(plan, slot);
    const Grid& grid = choice.grid;
    const Dim* const dims[] = {&grid.outer, &grid.inner};
    for (std::size_t d = 0; d < std::size(dims); ++d) {
        constants.dims[d] = {narrow(dims[d]->size), narrow(dims[d]->table_stride / choice.unit), 0,
                             0};
    }
    for (int k = 0; k < plan.coordinate_count; ++k) {
        constants.coordinates[k].table_stride =
            narrow(plan.coordinates[k].table_stride / choice.unit);
    }
    constants.arguments[0] = narrow(position_count(plan));
    constants.rank = plan.rank < 2 ? 1 : grid.inner.size % kFour == 0 ? 2 : 3;
    constants.stripe_lines = choice.has_stripes ? narrow(grid.outer.size) : 0;
    constants.index_repeats = grid.repeats_indices ? 1 : 0;
    return constants;
}

std::uint64_t four_threads(const Plan& plan, const Choice& choice) noexcept {
    const Grid& grid = choice.grid;
    const std::int64_t threads = choice.has_stripes
                                     ? quotient_up(grid.inner.size, kFour * kStripeThreads) *
                                           kStripeThreads * grid.outer.size
                                     : quotient_up(position_count(plan), kFour);
    return static_cast<std::uint64_t>(threads);
}

bool may_fail(const Plan& plan) noexcept {
    if (plan.mode == Mode::kSkip || index_count(plan) == 0) return false;
    if (plan.mode == Mode::kRaise) return true;
    return std::any_of(plan.coordinates, plan.coordinates + plan.coordinate_count,
                       [](const Coordinate& coordinate) { return coordinate.limit == 0; });
}

bool moves_can_note(const Plan& plan) noexcept {
    return position_count(plan) > 0 && plan.slice_bytes > 0 && indices_are_packed(plan);
}

void check_supported(const Plan& plan, const Tensors& tensors, bool typed_views) {
    const std::size_t index_rank = merged_index_dims(plan).size();
    const auto most = std::max({static_cast<std::size_t>(plan.rank),
                                static_cast<std::size_t>(plan.copy_rank), index_rank});
    if (most > kMaxDeviceDims) {
        refuse("the call needs " + std::to_string(most) + " dims that cannot be merged, at most " +
               std::to_string(kMaxDeviceDims) + " are supported");
    }
    if (plan.coordinate_count > kMaxDeviceDims) {
        refuse("index tuples have " + std::to_string(plan.coordinate_count) + " numbers, at most " +
               std::to_string(kMaxDeviceDims) + " are supported");
    }
    check_bytes("indices", tensors.indices, kMaxRawBytes);
    if (index_count(plan) > kMaxCount) refuse("indices has too many numbers for 32 bits");
    if (plan.copies_source) {
        Tensors between;
        between.table = tensors.table;
        between.items = tensors.table;
        check_views(copy_plan(plan, tensors.table.bytes), between, typed_views);
    }
    const std::int64_t positions = position_count(plan);
    if (positions == 0 || plan.slice_bytes == 0) return;

    check_views(plan, tensors, typed_views);
    const std::int64_t unit = unit_of(plan);
    if (positions > kMaxCount || positions * (plan.slice_bytes / unit) > kMaxCount) {
        refuse("the call moves more pieces than 32 bits can count");
    }
    if (plan.fill != nullptr &&
        period_bytes(plan, unit) > static_cast<std::int64_t>(kPatternBytes)) {
        refuse("fill_value has " + std::to_string(plan.element_bytes) +
               " bytes, too many for a shader");
    }
    if (plan.reduction != Reduction::kNone) {
        // Two words for each position: its target and itself.
        if (8 * positions > kMaxRawBytes) refuse("a reduction takes at most 2^26 updates here");
        if (positions * (plan.slice_bytes / plan.element_bytes) > kMaxCount) {
            refuse("the call moves more elements than 32 bits can count");
        }
    } else if (plan.direction == Direction::kScatter && !plan.unique_indices) {
        Constants constants{};
        set_targets(plan, tensors, constants);
        if (std::int64_t{4} * constants.target_count > kMaxRawBytes) {
            refuse("output has " + std::to_string(constants.target_count) +
                   " places to write to, and at most 2^27 are supported without unique_indices");
        }
    }
}

Constants capture_constants(const Plan& plan, std::uint32_t slot) {
    Constants constants = plan_constants(plan, {slot, true});
    const std::vector<IndexDim> dims = merged_index_dims(plan);
    constants.rank = static_cast<std::uint32_t>(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) {
        constants.dims[d] = {narrow(dims[d].size), 0, 0, narrow(dims[d].index_stride)};
    }
    return constants;
}

void encode_capture(const Encoder& encoder, const Constants& constants, const Span& indices) {
    Tensors tensors;
    tensors.indices = indices;
    encoder.queue.dispatch(Kernel::capture, constants, raw_views(tensors), 1);
}

void encode_checks(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                   std::uint32_t slot) {
    if (encoder.typed_views && has_index_kernels(plan) && indices_are_packed(plan)) {
        // As if every tuple were a position of its own.
        Plan tuples = plan;
        tuples.rank = 1;
        tuples.dims[0] = {index_count(plan) / plan.coordinate_count, 0, 0, 0};
        Choice choice;
        choice.grid.inner = tuples.dims[0];
        Views views;
        views.read[1] = indices_view(plan, tensors);
        encoder.queue.dispatch(for_indices(Kernel::mark_4_1, plan),
                               four_constants(tuples, choice, {slot, true}), views,
                               four_threads(tuples, choice));
        return;
    }
    encoder.queue.dispatch(Kernel::validate, capture_constants(plan, slot), raw_views(tensors),
                           static_cast<std::uint64_t>(index_count(plan)));
}

void encode_settling(const Encoder& encoder, std::uint32_t first_slot,
                     std::span<const Parents> parents) {
    Constants constants{};
    constants.slot = kNoSlot;
    constants.arguments[0] = first_slot / kSlotBytes;
    constants.arguments[1] = static_cast<std::uint32_t>(parents.size());
    std::memcpy(constants.pattern, parents.data(), parents.size_bytes());
    encoder.queue.dispatch(Kernel::settle, constants, {}, 1);
}

void encode_moves(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                  const Slot& slot) {
    if (plan.direction == Direction::kGather) {
        encode_gather(encoder, plan, tensors, slot);
    } else if (plan.reduction == Reduction::kNone) {
        encode_scatter(encoder, plan, tensors, slot);
    } else {
        if (plan.copies_source) encode_source_copy(encoder, plan, tensors, slot);
        encode_reduction(encoder, plan, tensors, slot);
    }
}

void encode_clear(const Encoder& encoder, const Span& span, std::uint32_t word) {
    Constants constants{};
    constants.slot = kNoSlot;
    constants.arguments[0] = word;
    Views views;
    if (encoder.typed_views) {
        views.written[0] = {span, Format::kRgba32};
        encoder.queue.dispatch(Kernel::fill, constants, views, (span.bytes + 15) / 16);
    } else {
        views.written[0].span = span;
        encoder.queue.dispatch(Kernel::clear, constants, views, (span.bytes + 3) / 4);
    }
}

void encode_copy(const Encoder& encoder, const Span& to, const Span& from, std::uint64_t bytes) {
    if (bytes == 0) return;
    Plan plan{};
    plan.element_bytes = 1;
    plan.copy_bytes = static_cast<std::int64_t>((bytes + 15) / 16 * 16);
    Tensors tensors;
    tensors.table = to;
    tensors.source = from;
    encode_source_copy(encoder, plan, tensors, {});
}

}  // namespace dmlindex::d3d12
