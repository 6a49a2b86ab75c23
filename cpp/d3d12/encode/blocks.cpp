#include "d3d12/encode/blocks.hpp"

#include <algorithm>

#include "d3d12/encode/arguments.hpp"

namespace dmlindex::d3d12 {
namespace {

// So many groups keep the whole GPU busy.
constexpr std::int64_t kManyGroups = 264;
constexpr std::int64_t kSomeGroups = 64;
// Of a block: enough for a group to have something to do, and not more than it does in no time.
constexpr std::int64_t kLeastWords = 2048;
constexpr std::int64_t kMostWords = 4096;
constexpr std::int64_t kLeastElements = 32;
constexpr std::int64_t kMostElements = 1024;
constexpr std::int64_t kMostSlices = 256;  // of several elements, to reduce
// Of a group, where they are too few to keep the whole GPU busy.
constexpr std::int64_t kMostOfFewGroups = 1 << 13;

// Equal parts of the table that follow each other, each with as many positions of its own.
struct Lines {
    std::int64_t count;
    std::int64_t bytes;
    std::int64_t positions;
};

// The shortest ones.
std::optional<Lines> find_lines(const Plan& plan) noexcept {
    std::int64_t reach = reached_bytes(plan);
    std::int64_t positions = 1;
    for (int outer = plan.rank; outer > 0; --outer) {
        const std::int64_t line = plan.dims[outer - 1].table_stride;
        std::int64_t count = 1;
        bool follow = reach <= line;
        for (int d = outer; d-- > 0 && follow;) {
            follow = plan.dims[d].table_stride == line * count;
            count *= plan.dims[d].size;
        }
        if (follow) return Lines{count, line, positions};
        reach += (plan.dims[outer - 1].size - 1) * line;
        positions *= plan.dims[outer - 1].size;
    }
    return std::nullopt;
}

// How many units of so many bytes are whole words.
std::int64_t units_of_words(std::int64_t bytes) noexcept { return kWord / word_part(bytes); }

// Whether the typed views of scatter_blocks.hlsl reach all of them.
bool fits_views(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept {
    const auto is_near = [](const Span& span, std::int64_t limit) {
        return static_cast<std::int64_t>(span.bytes) <= limit;
    };
    return is_near(tensors.table, reach.words()) &&
           is_near(tensors.items, word_part(plan.slice_bytes) * reach.texels);
}

bool has_few(const Plan& plan, const Tensors& tensors, const Profile& profile) noexcept {
    return position_count(plan) <= profile.few_positions &&
           static_cast<std::int64_t>(tensors.table.bytes) <= profile.few_table_bytes;
}

// Whether a copy and another kernel are quicker than blocks, whose threads have a target at a time.
bool are_too_many(const Plan& plan, const Tensors& tensors) noexcept {
    constexpr std::int64_t kManyTargets = 1 << 20;
    return static_cast<std::int64_t>(tensors.table.bytes) > kManyTargets * plan.slice_bytes;
}

// Whether the hardware's atomics combine the updates with less than a block costs: in place they
// are all there is to do; after a copy, of so many elements, or into so many. But few slices, of
// elements of up to 4 bytes, into a table that is not large are quicker by blocks, however long
// they are, as that makes the copy, too.
bool has_quick_atomics(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept {
    constexpr std::int64_t kManyElements = 1 << 17;
    constexpr std::int64_t kManyInTable = 1 << 19;
    constexpr std::int64_t kFewSlices = 12;
    constexpr std::int64_t kSomeInTable = 3 << 17;
    const std::int64_t elements =
        static_cast<std::int64_t>(tensors.table.bytes) / plan.element_bytes;
    const bool are_few = position_count(plan) <= kFewSlices && plan.element_bytes <= kWord &&
                         elements <= kSomeInTable;
    const bool whole = kernel_values(plan.value_type) == VALUES_WIDE ||
                       (plan.element_bytes == 4 && plan.reduction != Reduction::kMul);
    return ((has_atomics(plan) && whole) || added_bytes(plan, reach) != 0) &&
           (!plan.copies_source || (updates_of(plan) >= kManyElements && !are_few) ||
            elements > kManyInTable);
}

std::int64_t most_updates(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept {
    const std::int64_t values = kernel_values(plan.value_type);
    if (values == VALUES_DOUBLES || values == VALUES_BYTES ||
        has_quick_atomics(plan, tensors, reach)) {
        return 0;
    }
    if (plan.slice_bytes != plan.element_bytes) {
        // They come from the memory, and those of a target one after the other.
        const std::int64_t targets =
            static_cast<std::int64_t>(tensors.table.bytes) / plan.slice_bytes;
        return std::min(kMostSlices, kLongestRun * targets);
    }
    const std::int64_t most = kFewUpdates;
    return plan.any_order || has_atomics(plan) ? std::min(reach.profile.few_without_order, most)
                                               : most;
}

Blocks reduction_blocks(const Plan& plan, const Tensors& tensors) noexcept {
    const std::int64_t elements =
        static_cast<std::int64_t>(tensors.table.bytes) / plan.element_bytes;
    const std::int64_t block =
        std::clamp(round_up(quotient_up(elements, kManyGroups), kLeastElements), kLeastElements,
                   kMostElements);
    return {block, position_count(plan), 0, quotient_up(elements, block)};
}

Blocks few_blocks(const Plan& plan, const Tensors& tensors) noexcept {
    const auto bytes = static_cast<std::int64_t>(tensors.table.bytes);
    const std::int64_t words =
        std::clamp(quotient_up(bytes, kManyGroups * kWord), kLeastWords, kMostWords);
    const std::int64_t step = units_of_words(plan.slice_bytes);
    const std::int64_t fitting = std::min<std::int64_t>(words * kWord / plan.slice_bytes,
                                                        static_cast<std::int64_t>(kBlockTargets));
    const std::int64_t targets = std::max(fitting / step * step, step);
    return {targets, position_count(plan), 0, quotient_up(bytes, targets * plan.slice_bytes)};
}

// How many positions along lines may be. By target, so many updates of one wait for each other, and
// the winners of so many targets leave the GPU's cache; one update of each is no more than a copy;
// and in a block updates of whole words wait for each other only where lines are short.
std::int64_t most_along_lines(const Plan& plan, const Lines& lines, std::int64_t targets,
                              const Profile& profile) noexcept {
    constexpr std::int64_t kManyUpdates = 64;
    constexpr std::int64_t kManyTargets = 16;
    constexpr std::int64_t kTimesAsMany = 64;
    const bool is_slow_by_target = lines.positions == 1 ||
                                   (plan.slice_bytes >= kWord && targets >= kManyTargets) ||
                                   lines.positions >= kManyUpdates * targets ||
                                   4 * targets * lines.count > profile.range_bytes;
    return profile.block_positions * (is_slow_by_target ? kTimesAsMany : 1);
}

// Blocks of several lines, or one, whose positions are so many that they meet.
std::optional<Blocks> line_blocks(const Plan& plan, const Tensors& tensors, const Profile& profile,
                                  bool has_position_lines) noexcept {
    const std::optional<Lines> lines = find_lines(plan);
    if (!lines || plan.slice_bytes > 8) return std::nullopt;
    const auto all = static_cast<std::int64_t>(tensors.table.bytes);
    if (plan.copies_source && lines->count * lines->bytes != all) return std::nullopt;
    const std::int64_t targets = lines->bytes / plan.slice_bytes;
    // With few positions for its targets, a block has little to do but to look for them.
    const std::int64_t most_targets = has_position_lines ? 1 : profile.targets_in_place;
    if (lines->positions * most_targets < targets ||
        position_count(plan) > most_along_lines(plan, *lines, targets, profile)) {
        return std::nullopt;
    }
    const std::int64_t step = units_of_words(lines->bytes);
    const std::int64_t most = static_cast<std::int64_t>(kBlockTargets) / targets / step * step;
    const std::int64_t taken =
        std::min(round_up(quotient_up(kLeastWords, lines->positions), step), most);
    if (taken == 0) return std::nullopt;
    const Blocks found{taken * targets, taken * lines->positions, taken * lines->positions,
                       quotient_up(lines->count, taken)};
    const bool are_long = found.groups < kSomeGroups && found.positions > kMostOfFewGroups;
    return are_long ? std::nullopt : std::optional(found);
}

}  // namespace

std::optional<Blocks> find_blocks(const Plan& plan, const Tensors& tensors, const Reach& reach,
                                  bool has_position_lines) {
    const std::int64_t positions = position_count(plan);
    if (!reach.typed_views || plan.direction != Direction::kScatter || plan.is_linear ||
        positions == 0 || plan.slice_bytes == 0 || tensors.table.bytes == 0) {
        return std::nullopt;
    }
    if (!items_are_packed(plan) || table_step(plan) != plan.slice_bytes ||
        (plan.copies_source && !copies_all(plan, tensors.table.bytes))) {
        return std::nullopt;
    }
    const bool is_few = has_few(plan, tensors, reach.profile);
    if (plan.reduction != Reduction::kNone) {
        const bool fits = is_few && positions <= most_updates(plan, tensors, reach);
        return fits ? std::optional(reduction_blocks(plan, tensors)) : std::nullopt;
    }
    if (!fits_views(plan, tensors, reach)) return std::nullopt;
    // Without a copy, and where no two updates meet, another kernel does it alone.
    if (!plan.copies_source && (plan.unique_indices || positions == 1)) return std::nullopt;
    const bool fits = is_few && !are_too_many(plan, tensors) &&
                      plan.slice_bytes <= kLeastWords * kWord;  // else groups are too few
    return fits ? few_blocks(plan, tensors)
                : line_blocks(plan, tensors, reach.profile, has_position_lines);
}

}  // namespace dmlindex::d3d12
