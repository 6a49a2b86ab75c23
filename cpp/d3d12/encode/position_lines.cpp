#include "d3d12/encode/position_lines.hpp"

#include <algorithm>
#include <array>

#include "d3d12/encode/arguments.hpp"
#include "d3d12/encode/blocks.hpp"

namespace dmlindex::d3d12 {
namespace {

// Of reduce_lines.hlsl: the lanes of a group at least; elements of a line for each position, where
// the others would not have to be copied; and the positions of a lane: at least if it shares its
// line, and at most, as Windows gives a dispatch two seconds; one that wraps takes up to forty
// rounds of loops.
constexpr std::int64_t kLeastTogether = 32;
constexpr std::int64_t kMostUnnamed = 4;
constexpr std::int64_t kLeastOfALane = 8;
constexpr std::int64_t kMostOfALane = 1 << 20;
constexpr int kMostLaneShift = 5;
// Positions for each element of a row, up to which floats that the hardware adds are quicker so.
// But short rows that are not many are quicker with the copy in the same kernel: elements and
// positions; but of large tables with few positions. Of a column, whose neighbours are read
// together anyway: positions that are no work for a thread, unless they are few in all and there is
// a copy.
constexpr std::int64_t kMostAddedOfRows = 32;
constexpr std::int64_t kShortRow = 40;
constexpr std::int64_t kManyUpdateBytes = 1 << 22;
constexpr std::int64_t kLargeTableBytes = 1 << 21;
constexpr std::int64_t kFewOfColumn = 4;
// Elements of a line that add_lines takes, and positions of one from which on it is as quick as
// atomics in place.
constexpr std::int64_t kShortLine = kShortLineBytes / kWord / kGroup;
constexpr std::int64_t kManyOfShort = 10;
// Of columns that have many positions for each element lanes pay up to so many threads, while each
// has some, and a group's neighbouring lines some of the memory that is fetched at once.
constexpr std::int64_t kManyLanes = 1 << 17;
constexpr std::int64_t kManyForEach = 3;
constexpr std::int64_t kSomeOfALane = 8;

// Positions for each element of a row from which on sums of 8 bytes in place are held: with fewer
// atomics are as quick.
constexpr std::int64_t kManyForEachWide = 2;

// Of hold_lines.hlsl: groups that keep the whole GPU busy, and some of it; and of columns those
// from which on it pays more that a group's neighbouring lines have what is fetched at once to
// themselves: so many bytes of items, or lines.
constexpr std::int64_t kManyGroups = 264;
constexpr std::int64_t kSomeGroups = 64;
constexpr std::int64_t kEnoughGroups = 80;
constexpr std::int64_t kBytesBeside = 2 * kSectorBytes;
constexpr std::int64_t kLinesBeside = 16;

// Whether positions that differ in any other dim than `along` never meet: what dims and coordinates
// add up to in the table, from the smallest stride on, is less than the next one's stride.
bool lines_are_apart(const Plan& plan, int along) noexcept {
    struct Step {
        std::int64_t stride;
        std::int64_t size;
    };
    std::array<Step, 2 * kMaxDeviceDims> steps;
    std::size_t count = 0;
    for (int d = 0; d < plan.rank; ++d) {
        if (d != along) steps[count++] = {plan.dims[d].table_stride, plan.dims[d].size};
    }
    for (int k = 0; k < plan.coordinate_count; ++k) {
        if (plan.coordinates[k].limit == 1) continue;  // moves nothing
        steps[count++] = {plan.coordinates[k].table_stride, plan.coordinates[k].limit};
    }
    std::sort(steps.begin(), steps.begin() + count,
              [](const Step& a, const Step& b) { return a.stride < b.stride; });
    std::int64_t reached = plan.slice_bytes;
    for (std::size_t i = 0; i < count; ++i) {
        if (steps[i].stride < reached) return false;
        reached += (steps[i].size - 1) * steps[i].stride;
    }
    return true;
}

// The lanes that share a line, 2 to the power of what is returned: they pay where they read
// neighbours that one thread would go through too far from other threads', or where lines are few;
// and where each has some positions, and that is more work than putting their elements together.
int lanes_of(const Plan& plan, const PositionLines& lines, const Profile& profile) noexcept {
    const bool reads_far = lines.are_rows && lines.positions > profile.line_positions;
    const std::int64_t elements = plan.coordinates[0].limit;
    int shift = 0;
    const auto pays_in_columns = [&] {
        return !lines.are_rows && profile.shared_lines > 0 && lines.count << shift < kManyLanes &&
               (elements << (shift + 1)) * kManyForEach <= lines.positions &&
               kSomeOfALane << (shift + 1) <= lines.positions &&
               std::int64_t{kGroup >> (shift + 1)} * plan.slice_bytes >= kSectorBytes;
    };
    while (shift < kMostLaneShift &&
           (reads_far || lines.count << shift < profile.shared_lines || pays_in_columns()) &&
           (kLeastOfALane << (shift + 1)) <= lines.positions &&
           (elements << (shift + 1)) <= 2 * lines.positions) {
        ++shift;
    }
    return shift;
}

// Whether groups may add up what comes to a target: integers, of any order.
bool adds_integers(const Plan& plan) noexcept {
    const std::int64_t values = kernel_values(plan.value_type);
    return plan.reduction == Reduction::kAdd && plan.slice_bytes == plan.element_bytes &&
           plan.value_type != ValueType::kBool &&
           (values == VALUES_INTEGERS || values == VALUES_WIDE);
}

// Whether a sum is along lines so short that more groups with less memory each have room for them.
bool sums_short_lines(const Plan& plan) noexcept {
    return plan.reduction == Reduction::kAdd && plan.coordinates[0].limit <= kShortLine;
}

// Whether that is quicker than atomics, too: a copy is made on the way.
bool short_lines_pay(const Plan& plan, const PositionLines& lines,
                     const Tensors& tensors) noexcept {
    const bool copies = plan.copies_source && covers_table(plan, lines, tensors);
    return sums_short_lines(plan) && (copies || lines.positions >= kManyOfShort);
}

bool are_few_in_columns(const Plan& plan, const PositionLines& lines) noexcept {
    return !lines.are_rows && lines.positions <= kFewOfColumn &&
           (!plan.copies_source || position_count(plan) * plan.slice_bytes >= kManyUpdateBytes);
}

// Whether a sum along lines of floats is quicker by atomics that add such.
bool adding_pays(const Plan& plan, const PositionLines& lines, const Reach& reach) noexcept {
    const std::int64_t added = added_bytes(plan, reach);
    const std::int64_t elements = plan.coordinates[0].limit;
    if (added == 0) return false;
    if (!lines.are_rows) {
        return added == kWord && (lines.positions <= elements || are_few_in_columns(plan, lines));
    }
    const bool is_sparse = elements > kMostUnnamed * lines.positions &&
                           lines.count * elements * plan.slice_bytes > kLargeTableBytes;
    const bool is_short = plan.copies_source && elements + lines.positions < kShortRow &&
                          position_count(plan) * added < kManyUpdateBytes && !is_sparse;
    return !is_short && lines.positions <= kMostAddedOfRows * elements;
}

// Whether positions are so many for the elements of their lines that it pays to go through both,
// and lines so short that a group has some of them: of columns it else fetches more than it takes.
// Scatters along rows have blocks; along columns with as many positions as elements or more they
// take so long otherwise that twice as many elements pay, too. Few integers of 4 bytes are quicker
// by reduce_lines.hlsl.
bool holding_pays(const Plan& plan, const PositionLines& lines, std::int64_t elements,
                  const Profile& profile) noexcept {
    constexpr std::int64_t kSomePositions = 64;
    const bool sums = plan.reduction != Reduction::kNone;
    const bool has_twice = lines.are_rows || (!sums && lines.positions >= elements);
    if ((lines.are_rows && !sums) || elements > (has_twice ? 2 : 1) * profile.held_targets ||
        lines.count < kSomeGroups) {
        return false;
    }
    if (sums && plan.element_bytes == kWord && lines.positions < kSomePositions) return false;
    if (sums && !plan.copies_source) {
        const bool are_wide_rows = lines.are_rows && plan.element_bytes > kWord;
        return lines.positions > (are_wide_rows ? kManyForEachWide : 1) * elements;
    }
    return elements <= (plan.copies_source ? 2 : kMostUnnamed) * lines.positions;
}

// How many lines of hold_lines.hlsl a group should have.
std::int64_t wanted_together(const Plan& plan, const PositionLines& lines) noexcept {
    const std::int64_t of_many = lines.count / kManyGroups;
    if (lines.are_rows) return of_many;
    const std::int64_t beside = std::min(kBytesBeside / plan.slice_bytes, kLinesBeside);
    return std::max(of_many, std::min(beside, lines.count / kEnoughGroups));
}

}  // namespace

std::optional<PositionLines> find_apart(const Plan& plan, const Tensors& tensors,
                                        const Reach& reach) noexcept {
    const std::int64_t element = plan.slice_bytes;
    if (plan.direction != Direction::kScatter || plan.is_linear || plan.mode == Mode::kWrap ||
        !is_single(element) || plan.unique_indices || !table_has_whole_slices(plan) ||
        has_no_place(plan) || plan.rank > kMaxDeviceDims ||
        plan.coordinate_count > kMaxDeviceDims) {
        return std::nullopt;
    }
    const std::int64_t most = element * reach.texels;
    if (static_cast<std::int64_t>(tensors.table.bytes) > most ||
        static_cast<std::int64_t>(tensors.items.bytes) > most) {
        return std::nullopt;
    }
    PositionLines lines;
    for (int d = 0; d < plan.rank; ++d) {
        if (plan.dims[d].item_stride % element != 0) return std::nullopt;
        if (plan.dims[d].table_stride != 0) continue;
        if (lines.along >= 0) return std::nullopt;
        lines.along = d;
        lines.positions = plan.dims[d].size;
    }
    if (lines.positions == 0 || !lines_are_apart(plan, lines.along)) return std::nullopt;
    lines.count = position_count(plan) / lines.positions;
    return lines;
}

bool lines_are_rows(const Plan& plan, const PositionLines& lines) noexcept {
    std::int64_t reached = plan.coordinates[0].limit * plan.slice_bytes;
    if (plan.coordinates[0].table_stride != plan.slice_bytes) return false;
    for (int d = plan.rank; d-- > 0;) {
        if (d == lines.along) continue;
        if (plan.dims[d].table_stride != reached) return false;
        reached *= plan.dims[d].size;
    }
    return true;
}

std::optional<PositionLines> find_held_lines(const Plan& plan, const Tensors& tensors,
                                             const Reach& reach) noexcept {
    const bool sums = adds_integers(plan);
    if (!reach.typed_views || plan.coordinate_count != 1 ||
        !(sums || plan.reduction == Reduction::kNone)) {
        return std::nullopt;
    }
    std::optional<PositionLines> lines = find_apart(plan, tensors, reach);
    if (!lines || lines->along < 0) return std::nullopt;
    lines->are_held = true;
    lines->are_rows = lines_are_rows(plan, *lines);
    // In place, few updates are quick by atomics.
    if (!plan.copies_source && sums && position_count(plan) <= reach.profile.claimed_positions) {
        return std::nullopt;
    }
    const std::int64_t elements = plan.coordinates[0].limit;
    if (!holding_pays(plan, *lines, elements, reach.profile)) return std::nullopt;
    const std::int64_t fitting = kHeldWords / (sums && plan.slice_bytes > kWord ? 2 : 1) / elements;
    if (fitting == 0) return std::nullopt;
    lines->together = std::clamp<std::int64_t>(wanted_together(plan, *lines), 1,
                                               std::min<std::int64_t>(fitting, kBlockThreads));
    const std::int64_t of_a_lane = std::max(lines->positions, elements) * lines->together;
    const bool is_long = reach.has_short_loops && of_a_lane > kMostOfAShortLane * kBlockThreads;
    return is_long ? std::nullopt : lines;
}

namespace {

// Those of a reduction for reduce_lines.hlsl.
std::optional<PositionLines> find_walked_lines(const Plan& plan, const Tensors& tensors,
                                               const Reach& reach) noexcept {
    const std::int64_t values = kernel_values(plan.value_type);
    const bool has_integers = values == VALUES_INTEGERS && plan.element_bytes == kWord;
    if (!reach.typed_views || plan.coordinate_count != 1 || plan.coordinates[0].limit == 0 ||
        plan.slice_bytes != plan.element_bytes || !(has_integers || values == VALUES_FLOATS)) {
        return std::nullopt;
    }
    const auto is_far = [&](const Span& span) {
        return static_cast<std::int64_t>(span.bytes) > reach.words();
    };
    if (is_far(tensors.table) || is_far(tensors.items)) return std::nullopt;
    std::optional<PositionLines> lines = find_apart(plan, tensors, reach);
    if (!lines) return std::nullopt;
    const std::int64_t elements = plan.coordinates[0].limit;
    lines->are_rows = lines_are_rows(plan, *lines);
    if (!short_lines_pay(plan, *lines, tensors)) {
        // With fewer, atomics are as quick.
        if (has_integers && lines->positions < elements) return std::nullopt;
        const bool are_few = adds_integers(plan) && are_few_in_columns(plan, *lines);
        if (are_few || adding_pays(plan, *lines, reach)) return std::nullopt;
    }
    const bool any_order = plan.any_order || has_integers;
    lines->lane_shift = any_order ? lanes_of(plan, *lines, reach.profile) : 0;
    const std::int64_t most = reach.has_short_loops ? kMostOfAShortLane : kMostOfALane;
    if (lines->positions >> lines->lane_shift > most) return std::nullopt;
    constexpr std::int64_t kHeld = kLineBytes / kWord;
    const std::int64_t fitting =
        lines->are_rows ? kHeld / elements : kHeld / elements / kGroup * kGroup;
    lines->together = std::min<std::int64_t>(fitting, kGroup) >> lines->lane_shift;
    lines->are_short = sums_short_lines(plan);
    // No two groups of rows write to one word.
    if (lines->are_rows) lines->together -= lines->together % (kWord / plan.slice_bytes);
    const std::int64_t lanes = lines->count << lines->lane_shift;
    if (lanes < reach.profile.least_lanes ||
        (lines->together << lines->lane_shift) < kLeastTogether) {
        return std::nullopt;
    }
    const bool copies = plan.copies_source && covers_table(plan, *lines, tensors);
    return copies || elements <= kMostUnnamed * lines->positions ? lines : std::nullopt;
}

}  // namespace

std::optional<PositionLines> find_reduced_lines(const Plan& plan, const Tensors& tensors,
                                                const Reach& reach) noexcept {
    const std::optional<PositionLines> held = find_held_lines(plan, tensors, reach);
    if (held && !sums_short_lines(plan)) return held;
    const std::optional<PositionLines> walked = find_walked_lines(plan, tensors, reach);
    return walked ? walked : held;
}

bool covers_table(const Plan& plan, const PositionLines& lines, const Tensors& tensors) noexcept {
    return lines.count * plan.coordinates[0].limit * plan.slice_bytes ==
               static_cast<std::int64_t>(tensors.table.bytes) &&
           (!plan.copies_source || copies_all(plan, tensors.table.bytes));
}

}  // namespace dmlindex::d3d12
