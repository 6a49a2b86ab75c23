#include <algorithm>
#include <cstring>
#include <utility>

#include "d3d12/backend.hpp"
#include "d3d12/encode/encode_moves.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::uint64_t kPairBytes = 8;
// Few enough blocks for the counts to be quick to go through, many enough to keep the GPU busy.
constexpr std::int64_t kMostBlocks = 1024;
constexpr std::int64_t kLeastRounds = 8;  // of kDigits pairs, a block
constexpr std::uint64_t kByteTableBytes = 256 * 256;
constexpr std::int64_t kMostFolded = 1 << 27;  // elements of the table
// What sorting takes: pairs twice, and how often each digit is in each block.
struct SortMemory {
    SortMemory(const Encoder& encoder, std::int64_t positions)
        : count(static_cast<std::uint64_t>(positions)),
          rounds(std::max(kLeastRounds, quotient_up(positions, kMostBlocks * kDigits))),
          blocks(static_cast<std::uint64_t>(quotient_up(positions, rounds * kDigits))),
          pairs(encoder.allocate(count * kPairBytes)),
          other(encoder.allocate(count * kPairBytes)),
          counts(encoder.allocate((blocks + 1) * kDigits * 4)) {}

    std::uint64_t count;
    std::int64_t rounds;
    std::uint64_t blocks;
    Span pairs;
    Span other;
    Span counts;
};

// Sorts pairs by target, equal ones staying in order; returns the span they end up in.
Span sort_pairs(const Encoder& encoder, SortMemory memory, std::uint32_t largest,
                std::uint32_t slot) {
    Constants constants{};
    constants.slot = slot;
    constants.arguments[1] = static_cast<std::uint32_t>(memory.count);
    constants.arguments[2] = static_cast<std::uint32_t>(memory.blocks);
    constants.arguments[3] = narrow(memory.rounds);
    for (std::uint32_t shift = 0; (std::uint64_t{largest} >> shift) != 0; shift += kDigitBits) {
        constants.arguments[0] = shift;
        Views views;
        views.written[0].span = memory.pairs;
        views.written[1].span = memory.other;
        views.written[4].span = memory.counts;
        // These kernels have groups of their own size: one a block, or a digit.
        encoder.queue.dispatch(Kernel::sort_count, constants, views, memory.blocks * kGroup);
        encoder.queue.dispatch(Kernel::sort_scan, constants, views,
                               std::uint64_t{kDigits} * kGroup);
        encoder.queue.dispatch(Kernel::sort_move, constants, views, memory.blocks * kGroup);
        std::swap(memory.pairs, memory.other);
    }
    return memory.pairs;
}

// How many sorted updates of a target one thread walks at most. A group for each run that is longer
// takes little time, but of many such runs only so many have a group at once.
std::uint32_t longest_walked(std::uint64_t updates, const Profile& profile) noexcept {
    return updates < static_cast<std::uint64_t>(profile.walked_updates) ? kLongestRun : kLanes;
}

// Walks the sorted pairs. views and constants: those of the reduction, the pairs among them.
void encode_runs(const Encoder& encoder, const Plan& plan, Constants constants, Views views,
                 bool short_ones_are_done) {
    constexpr std::uint64_t kMostTargets = 1 << 27;
    const auto count = static_cast<std::uint64_t>(position_count(plan));
    const std::uint64_t slice = constants.slice_units;
    const std::int64_t values = kernel_values(plan.value_type);
    std::uint32_t longest = longest_walked(count, encoder.profile);
    // What lists leave is sorted, too; where it is much, threads walk the shorter runs of it.
    const bool walks = !short_ones_are_done || longest > kLongestRun;
    if (!walks) longest = kLongestList;
    constants.arguments[3] = static_cast<std::uint32_t>(count);
    constants.pattern[0] = {0, 0, longest, short_ones_are_done ? kLongestList : 0};
    if (walks) {
        std::uint64_t walkers = count;
        if (constants.target_count <= std::min(4 * count, kMostTargets)) {
            walkers = constants.target_count;
            constants.pattern[0][0] = 1;
            views.written[2].span = encoder.allocate(4 * walkers);
            encoder.queue.dispatch(Kernel::mark_starts, constants, views, count);
        }
        encoder.queue.dispatch(kernels::reduce_sorted(values), constants, views, walkers * slice);
    }
    if (count <= longest) return;
    const bool shares = plan.any_order && values == VALUES_FLOATS;
    constants.pattern[0] = {shares, shares ? empty_word(plan) : 0, longest, 0};
    const std::uint64_t groups =
        quotient_up(count, std::uint64_t{longest}) * quotient_up(slice, kLanes);
    encoder.queue.dispatch(kernels::reduce_long(values), constants, views, groups * kGroup);
}

// Of single elements a thread has one look at a target that has no list. So more of them may have
// none: targets for each update, in listed_updates, and in all, in listed_elements, up to which
// that takes less time than the kernels of a sort.
constexpr std::int64_t kTimesForEach = 4;
constexpr std::int64_t kTimesListed = 64;

// Whether most targets have few updates, and not too few have any: then lists are quicker than
// sorting.
bool lists_pay(std::int64_t positions, std::int64_t targets, std::int64_t slice_elements,
               const Profile& profile) noexcept {
    const std::int64_t folded = targets * slice_elements;
    const bool singles = slice_elements == 1;
    const std::int64_t for_each = profile.listed_updates * (singles ? kTimesForEach : 1);
    const std::int64_t listed = profile.listed_elements * (singles ? kTimesListed : 1);
    const bool few_to_look_at = (singles || positions <= kLongestList) && folded <= listed;
    return positions <= profile.listed_updates * targets && folded <= kMostFolded &&
           (for_each * positions >= targets || few_to_look_at);
}

// Gives each target a list of the positions that name it, and folds the short ones. The spare slot
// says to what follows whether there were others.
void encode_lists(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                  Constants constants, Views views) {
    const std::int64_t positions = position_count(plan);
    const Span heads = encoder.allocate(std::uint64_t{4} * constants.target_count);
    const auto fours = static_cast<std::uint64_t>(quotient_up(positions, kFour));
    const Span nodes = encoder.allocate(kFour * kPairBytes * fours);
    encode_clear(encoder, heads, 0);
    constants.arguments[3] = kSpareSlot;
    Choice linking;  // targets are numbered as elements are
    linking.unit = constants.target_bytes;
    std::uint32_t nodes_hold_items = 0;
    if (encoder.typed_views && has_index_kernels(plan) && plan.coordinate_count == 1 &&
        find_grid(plan, linking.grid)) {
        nodes_hold_items =
            plan.slice_bytes == 4 && plan.element_bytes == 4 && items_are_packed(plan);
        Constants four = four_constants(plan, linking, {constants.slot, constants.slot_use});
        four.arguments[1] = nodes_hold_items;
        four.arguments[3] = kSpareSlot;
        Views linked;
        linked.read[0] = {tensors.items, Format::kRgba32};
        linked.read[1] = indices_view(plan, tensors);
        linked.written[0] = {nodes, Format::kRgba32};
        linked.written[kWinnersRegister] = {heads, Format::kRaw};
        encoder.queue.dispatch(kernels::list_single_updates(index_bytes(plan.index_type)), four,
                               linked, four_threads(plan, linking));
    } else {
        Views linked = raw_views(tensors);
        linked.written[0].span = nodes;
        linked.written[kWinnersRegister].span = heads;
        encoder.queue.dispatch(Kernel::list_updates, constants, linked,
                               static_cast<std::uint64_t>(positions));
    }
    views.written[2].span = nodes;
    views.written[kWinnersRegister].span = heads;
    std::memcpy(constants.pattern, &nodes_hold_items, sizeof nodes_hold_items);
    encoder.queue.dispatch(kernels::reduce_lists(kernel_values(plan.value_type)), constants, views,
                           std::uint64_t{constants.target_count} * constants.slice_units);
}

}  // namespace

std::uint32_t empty_word(const Plan& plan) noexcept {
    const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << 8 * plan.element_bytes) - 1);
    return unchanging_element(plan) * (0xffffffff / all);
}

std::int64_t updates_of(const Plan& plan) noexcept {
    return position_count(plan) * (plan.slice_bytes / plan.element_bytes);
}

std::int64_t added_bytes(const Plan& plan, const Reach& reach) noexcept {
    if (!reach.typed_views || plan.reduction != Reduction::kAdd ||
        updates_of(plan) < reach.profile.added_updates) {
        return 0;
    }
    const bool adds = (reach.adds.floats && plan.value_type == ValueType::kFloat32) ||
                      (reach.adds.halves && plan.value_type == ValueType::kFloat16);
    return adds && plan.any_order ? plan.element_bytes : 0;
}

bool can_accumulate(const Plan& plan, const Reach& reach) noexcept {
    // Long slices of floats are quicker sorted: they share the work, and need no exchanges.
    if (has_atomics(plan) || added_bytes(plan, reach) != 0) return true;
    const std::int64_t values = kernel_values(plan.value_type);
    return values == VALUES_FLOATS && plan.any_order &&
           (plan.slice_bytes < reach.profile.atomic_slice_bytes ||
            position_count(plan) * plan.slice_bytes < reach.profile.atomic_bytes);
}

bool has_reductions(ValueType type) noexcept {
    return type != ValueType::kLongDouble && type != ValueType::kComplexLongDouble;
}

std::optional<Plan> sum_of_parts(const Plan& plan) noexcept {
    const bool is_complex =
        plan.value_type == ValueType::kComplex64 || plan.value_type == ValueType::kComplex128;
    if (plan.reduction != Reduction::kAdd || !is_complex) return std::nullopt;
    Plan parts = plan;
    parts.element_bytes /= 2;
    parts.value_type =
        plan.value_type == ValueType::kComplex64 ? ValueType::kFloat32 : ValueType::kFloat64;
    return parts;
}

void encode_reduction(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                      const Slot& slot, const Winners& nans) {
    const std::int64_t positions = position_count(plan);
    const std::int64_t slice_elements = plan.slice_bytes / plan.element_bytes;
    if (positions == 0 || slice_elements == 0) return;
    Constants constants = plan_constants(plan, slot);
    set_targets(plan, tensors, constants);
    set_values(plan, constants);
    Views views = raw_views(tensors);
    if (plan.value_type == ValueType::kByteTable) {
        views.written[5].span = encoder.upload(plan.byte_table, kByteTableBytes);
    }
    const Profile& profile = encoder.profile;
    if (can_accumulate(plan, encoder.reach())) {
        encode_accumulation(encoder, plan, tensors, constants, views, nans);
        return;
    }
    std::uint32_t sort_slot = kNoSlot;
    const bool by_lists = lists_pay(positions, constants.target_count, slice_elements, profile);
    if (by_lists) encode_lists(encoder, plan, tensors, constants, views);
    if (by_lists && positions <= kLongestList) return;
    const SortMemory memory(encoder, positions);
    if (by_lists) {  // what follows is for the long ones
        constants.slot = sort_slot = kSpareSlot;
        constants.slot_use = kSlotSkips;
        encoder.queue.skip_where(encoder.queue.slot(kSpareSlot));
    }
    Views keys = raw_views(tensors);
    keys.written[4].span = memory.pairs;
    encoder.queue.dispatch(Kernel::sort_keys, constants, keys, memory.count);
    views.written[4].span = sort_pairs(encoder, memory, constants.target_count, sort_slot);
    encode_runs(encoder, plan, constants, views, by_lists);
    if (by_lists) encoder.queue.skip_where({});
}

}  // namespace dmlindex::d3d12
