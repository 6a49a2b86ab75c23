// Reductions in any order whose updates go to the table at once.

#include <algorithm>
#include <bit>

#include "d3d12/backend.hpp"
#include "d3d12/encode/blocks.hpp"
#include "d3d12/encode/encode_moves.hpp"

namespace dmlindex::d3d12 {
namespace {

// Threads that accumulate, or some more: enough to keep a large GPU busy, and few enough not to
// meet all the time at a target that many updates name.
constexpr std::int64_t kAccumulators = 512 * kAccumulated;
// Positions of a thread that follow each other, at most: where its neighbours name words beside its
// own all the same. Else those who name neighbours would no longer be neighbours, and its positions
// lie so far apart as keeps them, if a target has so many updates that they name one all the same.
constexpr std::int64_t kMostInHand = 8;
constexpr std::int64_t kSectorWords = 8;
static_assert(kSectorWords >= kLeastBeside);  // several words a thread are for add_slices.hlsl
constexpr std::int64_t kApart = 32;
constexpr std::int64_t kManyUpdates = 2 * kApart;
// Where atomics do it all a thread has so many positions at most, and there are twice as many
// threads.
constexpr std::int64_t kMostOfAtomics = kMostEach;
// Or units of one slice instead, which saves the way to it: but neighbouring positions may name one
// target, where many positions do, so only of slices of so many units.
constexpr std::int64_t kLongSlice = 64;
constexpr std::int64_t kHalfBytes = 2;    // sums of halves have no such kernel
constexpr std::int64_t kMostOfAdds = 32;  // the same of sums that the hardware adds
// Updates from which on it pays that a group locates its threads' slices together.
constexpr std::int64_t kManySharing = 1 << 18;
// Of a line, threads that are enough for groups to have some of it to themselves.
constexpr std::int64_t kManyParts = 4 * kAccumulated;

// Whether all that a sum takes are atomics of whole integers.
bool adds_whole(const Plan& plan) noexcept {
    return plan.reduction == Reduction::kAdd &&
           (kernel_values(plan.value_type) == VALUES_WIDE ||
            (kernel_values(plan.value_type) == VALUES_INTEGERS && plan.element_bytes == kWord));
}

// Whether there are atomics that do all of a reduction's work: has_atomics() of accumulate.hlsl.
bool is_done_by_hardware(const Plan& plan) noexcept {
    return kernel_values(plan.value_type) == VALUES_INTEGERS && plan.element_bytes == kWord &&
           plan.reduction > Reduction::kMul;
}

// The words of the table that a slice lies in, at most; of integers of 8 bytes, the elements.
std::int64_t units_of_slice(const Plan& plan) noexcept {
    if (kernel_values(plan.value_type) == VALUES_WIDE) return plan.slice_bytes / plan.element_bytes;
    const std::int64_t before = table_step(plan) % kWord == 0 ? 0 : kWord - plan.element_bytes;
    return quotient_up(before + plan.slice_bytes, kWord);
}

// Positions of a thread of accumulate.hlsl along the innermost dim where only the index tells a
// position's target.
struct Along {
    std::int64_t apart = 1;
    std::int64_t length = 1;
};

Along find_along(const Plan& plan) noexcept {
    Along found;
    for (int d = plan.rank; d-- > 0;) {
        found.length = plan.dims[d].size;
        if (plan.dims[d].table_stride == 0) return found;
        found.apart *= found.length;
    }
    return {1, plan.rank == 0 ? 1 : plan.dims[plan.rank - 1].size};  // there is no such dim
}

// Whether threads beside each other name words beside each other, whatever the indices: a slice's,
// or an inner dim's.
bool has_neighbours(const Plan& plan) noexcept {
    return find_along(plan).apart * units_of_slice(plan) >= kSectorWords;
}

// Whether so many positions can name one target that they wait for each other: those along dims
// where only the index tells which it is.
bool meets(const Plan& plan) noexcept {
    constexpr std::int64_t kManyForEach = 1 << 13;
    std::int64_t most = 1;
    for (int d = 0; d < plan.rank; ++d) {
        if (plan.dims[d].table_stride == 0) most *= plan.dims[d].size;
    }
    return most > kManyForEach;
}

// And whether it pays to look for such: of integers later, as what they take without a look is
// less.
bool may_be_hot(const Plan& plan) noexcept {
    constexpr std::int64_t kManyFloats = 1 << 16;
    constexpr std::int64_t kManyIntegers = 1 << 19;
    return meets(plan) && updates_of(plan) >= (adds_whole(plan) ? kManyIntegers : kManyFloats);
}

// Whether a sum that the hardware can add has so many updates for each of so few words that it is
// better not to.
bool is_crowded(const Encoder& encoder, const Tensors& tensors, std::uint64_t updates) noexcept {
    constexpr std::uint64_t kManyForEach = 1024;
    const std::uint64_t words = quotient_up(tensors.table.bytes, kWord);
    return words <= static_cast<std::uint64_t>(encoder.profile.crowded_words) &&
           updates >= kManyForEach * words;
}

// Whether each thread of accumulate_pairs.hlsl can load what two neighbouring positions have at
// once, and they are enough for it to pay. Words that lie beside those of other positions do not
// where a thread of accumulate_sums.hlsl has many positions along a line, of which it may add up
// those that name one target.
bool goes_by_pairs(const Plan& plan, const Profile& profile) noexcept {
    constexpr int kMostCoordinates = 4;
    constexpr std::int64_t kMostAlong = 64;
    const bool are_words = plan.element_bytes == kWord;
    return plan.slice_bytes == plan.element_bytes && plan.element_bytes <= kWord &&
           !plan.is_linear && plan.mode != Mode::kWrap &&
           plan.coordinate_count <= kMostCoordinates && tuples_follow_positions(plan) &&
           position_count(plan) >= profile.paired_positions &&
           (!are_words || !has_neighbours(plan) || find_along(plan).length <= kMostAlong) &&
           items_are_packed(plan);
}

void encode_pairs(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                  Constants constants, std::int64_t added, const Winners& nans) {
    constexpr std::int64_t kPair = 2;
    const std::int64_t positions = position_count(plan);
    const bool is_quick = has_neighbours(plan) || !may_be_hot(plan);
    const std::int64_t each =
        is_quick ? kPair
                 : std::clamp(positions / kAccumulators, kPair, kMostOfAdds) / kPair * kPair;
    constants.pattern[0] = {narrow(each), empty_word(plan), is_quick ? 1u : 0u, narrow(positions)};
    Views views;
    views.read[0] = {tensors.items, element_format(kPair * plan.element_bytes)};
    views.read[1] = {tensors.indices, element_format(kPair * index_bytes(plan.index_type))};
    views.written[0].span = tensors.table;
    views.written[1] = {tensors.table, added == kWord ? Format::kFloat32 : Format::kHalves};
    views.written[kWinnersRegister] = {nans.span, Format::kRaw};
    const std::int64_t groups = quotient_up(positions, each * std::int64_t{kAccumulated});
    encoder.queue.dispatch(
        added == 0 ? Kernel::accumulate_whole_pairs : kernels::accumulate_pairs(added), constants,
        views, static_cast<std::uint64_t>(groups) * kGroup);
}

Views sum_views(const Tensors& tensors, std::int64_t bytes, const Winners& nans) noexcept {
    Views views;
    views.read[0].span = tensors.items;
    views.read[1] = {tensors.indices, Format::kR32};
    views.written[0].span = tensors.table;
    views.written[1] = {tensors.table, bytes == kWord ? Format::kFloat32 : Format::kHalves};
    views.written[kWinnersRegister] = {nans.span, Format::kRaw};
    return views;
}

// Says how its threads go through the positions, and returns how many there are.
std::uint64_t set_walks(const Plan& plan, bool has_units, bool is_quick, std::int64_t most_rounds,
                        Constants& constants) {
    const Along along = find_along(plan);
    const std::int64_t slice = units_of_slice(plan);
    const std::int64_t positions = position_count(plan);
    const bool follow = has_neighbours(plan);
    const bool meet = positions >= kManyUpdates * std::int64_t{constants.target_count};
    std::int64_t most = std::min(positions * slice / kAccumulators, most_rounds);
    int unit_shift = 0;  // a thread has 2 to the power of it units of each slice
    if (is_quick) {
        most = follow || meet ? std::min(most / 2, kMostOfAtomics) : 1;
        if (has_units && (slice >= kLongSlice || !meets(plan))) {
            while (2 << unit_shift <= most && slice >> (unit_shift + 1) >= kSectorWords) {
                ++unit_shift;
            }
        }
        most >>= unit_shift;
    }
    const std::int64_t threads_beside = quotient_up(slice, std::int64_t{1} << unit_shift);
    const std::int64_t units = along.apart * threads_beside;
    most = std::clamp<std::int64_t>(most, 1, along.length);
    const auto whole = static_cast<std::uint64_t>(std::min(most, kMostInHand));
    const auto portion_shift = static_cast<int>(follow ? std::bit_width(whole) - 1 : 0);
    const std::int64_t portion = std::int64_t{1} << portion_shift;
    const std::int64_t rounds = most / portion * portion;
    std::int64_t parts = quotient_up(along.length, rounds);
    std::int64_t beside = parts;
    if (!follow && parts >= kManyParts) {
        beside = is_quick ? kApart : std::int64_t{kAccumulated};
        parts = round_up(parts, beside);
    }
    constants.pattern[0][0] = narrow(rounds);
    constants.pattern[1] = {narrow(along.apart), narrow(along.length), narrow(parts),
                            narrow(units)};
    constants.pattern[2] = {narrow(threads_beside), narrow(portion), narrow(beside),
                            static_cast<std::uint32_t>(portion_shift)};
    constants.pattern[3] = {static_cast<std::uint32_t>(unit_shift), narrow(slice), 0, 0};
    const std::int64_t threads = positions / (along.length * along.apart) * parts * units;
    constants.arguments[3] = narrow(threads);
    return static_cast<std::uint64_t>(threads);
}

}  // namespace

Winners encode_sum_source(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                          const Slot& slot) {
    Winners nans;
    if (!plan.copies_source) return nans;
    if (added_bytes(plan, encoder.reach()) == kHalfBytes) nans = encoder.winners(1, 1);
    return encode_source_copy(encoder, plan, tensors, slot, nans) ? nans : Winners{};
}

void encode_accumulation(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                         Constants constants, const Views& views, const Winners& nans) {
    // Without a note a table may have NaNs.
    constants.winners_base = nans ? nans.base + 1 : 0;
    const std::int64_t positions = position_count(plan);
    const auto updates = static_cast<std::uint64_t>(updates_of(plan));
    const std::int64_t values = kernel_values(plan.value_type);
    const std::int64_t added = added_bytes(plan, encoder.reach());
    const bool adds = added != 0 || adds_whole(plan);
    const bool is_quick =
        adds ? has_neighbours(plan) || !may_be_hot(plan) : is_done_by_hardware(plan);
    const bool may_meet = added != 0 ? is_crowded(encoder, tensors, updates) : !is_quick;
    if (may_meet && fits_buckets(encoder, plan, tensors, updates)) {
        constants.arguments[3] = static_cast<std::uint32_t>(updates);
        encode_buckets(encoder, tensors, constants, updates, empty_word(plan));
        return;
    }
    if (adds && encoder.typed_views && goes_by_pairs(plan, encoder.profile)) {
        encode_pairs(encoder, plan, tensors, constants, added, nans);
        return;
    }
    if (plan.element_bytes <= kWord) constants.pattern[0][1] = empty_word(plan);
    const bool may_share = adds && added != kHalfBytes && is_quick &&
                           updates >= static_cast<std::uint64_t>(kManySharing);
    std::uint64_t threads =
        set_walks(plan, may_share, is_quick, adds ? kMostOfAdds : positions, constants);
    // The queue counts groups by threads; these have a size of their own.
    threads = quotient_up(threads, std::uint64_t{kAccumulated}) * kGroup;
    if (adds) constants.pattern[0][2] = is_quick ? 1 : 0;
    const bool by_slices =
        may_share && plan.mode != Mode::kWrap && constants.pattern[2][0] >= kLeastBeside;
    if (added != 0) {
        encoder.queue.dispatch(
            by_slices ? kernels::add_slices(added) : kernels::accumulate_sums(added), constants,
            sum_views(tensors, added, nans), threads);
    } else if (adds) {
        encoder.queue.dispatch(by_slices ? Kernel::add_whole_slices : Kernel::accumulate_whole,
                               constants, views, threads);
    } else {
        encoder.queue.dispatch(kernels::accumulate(values), constants, views, threads);
    }
}

}  // namespace dmlindex::d3d12
