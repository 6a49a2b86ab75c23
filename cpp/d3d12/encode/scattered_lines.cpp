// The lines of scatters in which the last write wins: see position_lines.hpp.

#include "d3d12/encode/blocks.hpp"
#include "d3d12/encode/position_lines.hpp"

namespace dmlindex::d3d12 {
namespace {

// Of scatter_lines.hlsl: positions for each target of a line that goes backwards; with a copy.
constexpr std::int64_t kEnoughNamed = 4;
constexpr std::int64_t kManyNamed = 8;
// And of rows: bytes from where on a block is quicker, with a copy to make and in place.
constexpr std::int64_t kBlockBytesCopied = 48;
constexpr std::int64_t kBlockBytesInPlace = 112;
// With a copy, which other kernels make as they scatter, these are quicker up to so many elements
// of less than a word in rows, and so many positions in columns.
constexpr std::int64_t kManyNarrow = 1 << 21;
constexpr std::int64_t kManyInColumns = 1 << 20;
// Of compare_lines.hlsl: positions of a line, of which each looks at all others at worst; targets
// for each, of which rows in place with so few positions may have as many as positions; and, where
// other kernels make the copy, too, targets and positions from which on that is quicker than those.
constexpr std::int64_t kMostOnALine = 128;
constexpr std::int64_t kTargetsCompared = 2;
constexpr std::int64_t kMostOnAShortRow = 32;
constexpr std::int64_t kTargetsCopied = 4;
constexpr std::int64_t kManyCompared = 1 << 19;

// Whether threads beside each other read positions beside each other.
bool are_columns(const Plan& plan, const PositionLines& lines) noexcept {
    return lines.along >= 0 && plan.dims[lines.along].index_stride >= kSectorBytes;
}

// How many positions of a line a thread goes through, at most.
std::int64_t most_positions(const Plan& plan, const PositionLines& lines,
                            const Profile& profile) noexcept {
    return are_columns(plan, lines) ? profile.column_positions : profile.line_positions;
}

// Whether threads that go through lines backwards are likely to have seen all targets so soon that
// a copy beforehand is worth it, too; and whether lines are so many that other ways take longer
// than a thread. (lavapipe counts the rounds of all loops of a thread.)
bool are_named_early(const Plan& plan, const PositionLines& lines, const Reach& reach) noexcept {
    const std::int64_t targets = plan.coordinate_count == 1 ? plan.coordinates[0].limit : 0;
    return targets > 0 && targets <= reach.profile.named_targets &&
           lines.positions >= (plan.copies_source ? kManyNamed : kEnoughNamed) * targets &&
           position_count(plan) >= reach.profile.named_positions * targets &&
           (!reach.has_short_loops || lines.positions <= kMostOfAShortLane);
}

// Whether threads, of which each goes through a row by itself, fetch so much that a group a block
// of rows is quicker.
bool rows_are_long(const Plan& plan, const PositionLines& lines) noexcept {
    return plan.coordinate_count == 1 && plan.slice_bytes >= kWord &&
           lines.positions * plan.slice_bytes >=
               (plan.copies_source ? kBlockBytesCopied : kBlockBytesInPlace) &&
           lines_are_rows(plan, lines);
}

// Whether a block of rows, which makes the copy, too, is quicker than a thread for each.
bool rows_have_blocks(const Plan& plan, const PositionLines& lines,
                      const Tensors& tensors) noexcept {
    const auto bytes = static_cast<std::int64_t>(tensors.table.bytes);
    return plan.copies_source && plan.coordinate_count == 1 &&
           (plan.slice_bytes >= kWord || bytes <= kManyNarrow * plan.slice_bytes) &&
           lines_are_rows(plan, lines);
}

// Whether a thread a position is quicker: its neighbours read what lies together, which those that
// have a line each do not, unless lines are columns; or lines are few. But not where a line's
// targets are so few that stores of one thread meet in the cache, or that most positions find a
// later one.
bool comparing_pays(const Plan& plan, const PositionLines& lines, const Profile& profile) noexcept {
    if (plan.coordinate_count != 1 || lines.along < 0 || lines.positions < 2 ||
        lines.positions > kMostOnALine ||
        (are_columns(plan, lines) && lines.count >= profile.least_lines)) {
        return false;
    }
    const std::int64_t targets = plan.coordinates[0].limit;
    const bool is_short_row =
        !plan.copies_source && lines.positions <= kMostOnAShortRow && lines_are_rows(plan, lines);
    return targets * plan.slice_bytes >= kSectorBytes &&
           targets >= (is_short_row ? 1 : kTargetsCompared) * lines.positions;
}

// Whether it is even where the copy takes a kernel of its own.
bool comparing_pays_for_a_copy(const Plan& plan, const PositionLines& lines) noexcept {
    return !are_columns(plan, lines) &&
           plan.coordinates[0].limit >= kTargetsCopied * lines.positions &&
           position_count(plan) > kManyCompared;
}

}  // namespace

std::optional<PositionLines> find_position_lines(const Plan& plan, const Tensors& tensors,
                                                 const Reach& reach) noexcept {
    if (!reach.typed_views || plan.reduction != Reduction::kNone ||
        position_count(plan) < reach.profile.least_lines) {
        return std::nullopt;
    }
    std::optional<PositionLines> lines = find_apart(plan, tensors, reach);
    if (!lines) return std::nullopt;
    lines->are_compared = comparing_pays(plan, *lines, reach.profile);
    if (lines->are_compared && (!plan.copies_source || comparing_pays_for_a_copy(plan, *lines))) {
        return lines;
    }
    if (lines->count < reach.profile.least_lines) return std::nullopt;
    lines->are_named_early = are_named_early(plan, *lines, reach);
    if (lines->are_named_early) return lines;
    if (lines->positions > most_positions(plan, *lines, reach.profile) ||
        rows_are_long(plan, *lines)) {
        return std::nullopt;
    }
    lines->have_blocks = rows_have_blocks(plan, *lines, tensors);
    if (plan.copies_source && are_columns(plan, *lines) && position_count(plan) <= kManyInColumns) {
        if (const auto held = find_held_lines(plan, tensors, reach)) return held;
    }
    return lines;
}

}  // namespace dmlindex::d3d12
