#include "d3d12/encode/choose.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "d3d12/encode/blocks.hpp"
#include "d3d12/encode/position_lines.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::int64_t kEight = 8;
// Of a group's memory, as the kernels of gather_table.hlsl have it.
constexpr std::int64_t kSmallHeldKib = 4;
constexpr std::int64_t kHeldKib = 16;
constexpr std::int64_t kLargeHeldKib = 32;
static_assert(kLargeHeldKib * 1024 == kGroupBytes);
static_assert(kDefaultProfile.compared_positions == kMostCompared);
constexpr std::int64_t kMostInFlight = std::max(kInFlight, kInFlightOfBytes);
constexpr std::int64_t kMostRounds = 32;
constexpr std::int64_t kManyGroups = 256;

// Tables of 256 are looked up by bytes.
bool gathers_by_bytes(const Plan& plan) noexcept {
    return plan.direction == Direction::kGather && index_bytes(plan.index_type) == 1 &&
           plan.coordinate_count == 1;
}

// Whether the last thread of a gather may store a whole texel of so many bytes.
bool may_store_whole(const Plan& plan, const Tensors& tensors, std::int64_t texel) noexcept {
    const std::int64_t bytes = position_count(plan) * plan.slice_bytes;
    return bytes % texel == 0 || bytes >= static_cast<std::int64_t>(tensors.items.bytes);
}

bool fits_singles(const Plan& plan, const Tensors& tensors, const Reach& reach,
                  Grid& grid) noexcept {
    const std::int64_t element = plan.slice_bytes;
    // A slice of several elements may lie on a line in part.
    if (plan.is_linear && element != plan.element_bytes) return false;
    if (!is_single(element) || !(has_index_kernels(plan) || gathers_by_bytes(plan))) return false;
    if (!items_are_packed(plan) || !table_has_whole_slices(plan)) return false;
    if (!find_grid(plan, grid)) return false;
    if (static_cast<std::int64_t>(tensors.table.bytes) > element * reach.texels) return false;
    return plan.direction == Direction::kScatter || may_store_whole(plan, tensors, kFour * element);
}

bool fits_any(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept {
    if (plan.direction != Direction::kGather || plan.mode == Mode::kWrap) return false;
    return has_single_targets(plan, tensors, reach) &&
           may_store_whole(plan, tensors, kFour * plan.slice_bytes);
}

bool fits_bytes(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept {
    if (plan.is_linear) return false;
    const auto table = static_cast<std::int64_t>(tensors.table.bytes);
    if (plan.direction == Direction::kScatter) {  // the ends of slices are stored by units
        return table <= std::min<std::int64_t>(unit_of(plan), 4) * reach.texels;
    }
    return (plan.fill == nullptr || kPieceBytes % plan.element_bytes == 0) &&
           table < reach.pieces() && items_are_packed(plan) &&
           may_store_whole(plan, tensors, kPieceBytes);
}

// Whether slices are whole 8 bytes, but no pieces of 16, and are moved as single elements of 8: a
// thread then reads what it stores, where it would read two pieces for each.
bool goes_by_eights(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept {
    const std::int64_t common = std::gcd(table_step(plan), std::int64_t{kPieceBytes});
    return plan.direction == Direction::kGather && common == kEight &&
           plan.slice_bytes > reach.profile.eights_slice_bytes && fits_any_dims(plan) &&
           plan.rank < kMaxDeviceDims && items_are_packed(plan) &&
           (plan.fill == nullptr || kEight % plan.element_bytes == 0) &&
           static_cast<std::int64_t>(tensors.table.bytes) <= reach.words() &&
           static_cast<std::int64_t>(tensors.items.bytes) <= reach.words() &&
           may_store_whole(plan, tensors, kFour * kEight);
}

// Whether slices of whole words are better taken as bytes: 16 of them at a time.
bool rows_are_slow(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept {
    return plan.slice_bytes > long_slice_bytes(plan, reach.profile) ||
           static_cast<std::int64_t>(tensors.table.bytes) > reach.words();
}

// Of a short slice, neighbouring threads store all units at once.
bool units_are_quick(const Plan& plan, std::int64_t unit) noexcept {
    return plan.direction == Direction::kScatter && unit < 4 &&
           plan.slice_bytes < kPieceBytes * unit;
}

// A scatter in place of so few positions that they are compared.
bool compares(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept {
    return plan.direction == Direction::kScatter && !plan.copies_source && !plan.unique_indices &&
           position_count(plan) <= reach.profile.compared_positions &&
           fits_bytes(plan, tensors, reach);
}

// An index that moves between long lines of a table: neighbours in a line read from anywhere, but
// stripes of lines read from stripes of the table.
bool wants_stripes(const Plan& plan, const Tensors& tensors, const Grid& grid,
                   const Profile& profile) noexcept {
    return plan.rank == 2 && !grid.repeats_indices && grid.inner.size >= profile.striped_line &&
           grid.inner.size % kFour == 0 && grid.inner.table_stride == plan.slice_bytes &&
           plan.coordinates[0].table_stride >= grid.inner.size * plan.slice_bytes &&
           static_cast<std::int64_t>(tensors.table.bytes) > profile.striped_table_bytes;
}

// Whether so many words fit there, and that much of a group's memory may be used.
bool fits_group(std::int64_t words, std::int64_t held_kib, const Profile& profile) noexcept {
    const std::int64_t bytes = held_kib * 1024;
    return bytes <= profile.held_bytes && words <= bytes / 4;
}

// Whether indices are the only way through the table, along lines without gaps, each read by so
// many positions that it pays to fetch it whole.
bool reads_lines(const Plan& plan, const Grid& grid, const Profile& profile) noexcept {
    if (plan.coordinate_count != 1 || plan.coordinates[0].table_stride != plan.slice_bytes ||
        grid.inner.table_stride != 0)
        return false;
    // Bytes are quick without it; groups with more memory have more threads.
    const bool pays = plan.slice_bytes > 1 && fits_group(held_line(plan), kSmallHeldKib, profile);
    // On a line, an index out of range leads to another line of the table.
    return plan.rank < 2 ||
           (!plan.is_linear && grid.outer.table_stride % kPieceBytes == 0 &&
            grid.inner.size % kFour == 0 && 4 * grid.inner.size >= plan.coordinates[0].limit &&
            grid.inner.size >= (pays ? 1 : 2) * profile.held_line);
}

TableIn table_in(const Plan& plan, const Grid& grid, const Profile& profile) noexcept {
    const std::int64_t line = held_line(plan);
    if (plan.direction != Direction::kGather || position_count(plan) < profile.held_positions ||
        !reads_lines(plan, grid, profile))
        return TableIn::kBuffer;
    const std::int64_t element = plan.slice_bytes;
    if (element > 4) return TableIn::kBuffer;  // as quick (an H100: 0.92 to 1.1 of the time)
    if (fits_group(line, kSmallHeldKib, profile)) return TableIn::kSmallGroup;
    if (index_bytes(plan.index_type) < 4) return TableIn::kBuffer;
    if (fits_group(line, kHeldKib, profile)) return TableIn::kMediumGroup;
    // Several in a word, if they are smaller. Of several lines each is half as long at most.
    const std::int64_t words = quotient_up(line * element, 4);
    const bool fits_all = fits_group(words, kLargeHeldKib, profile);
    if (fits_all && (plan.rank <= 1 || fits_group(words, kHeldKib, profile)))
        return TableIn::kLargeGroup;
    if (element < 4 || plan.rank > 1) return TableIn::kBuffer;
    const bool is_large = line > kGroupBytes / 4;
    if (!is_large || position_count(plan) < profile.large_table_positions) return TableIn::kBuffer;
    if (profile.held_bytes == kGroupBytes) {
        if (line <= profile.group_and_buffer_elements) return TableIn::kGroupAndBuffer;
        if (line <= profile.group_and_texture_elements) return TableIn::kGroupAndTexture;
    }
    return line <= profile.texture_elements ? TableIn::kTexture : TableIn::kBuffer;
}

void take_lines(const Plan& plan, const PositionLines& lines, Choice& choice) noexcept {
    choice.path = Path::kLines;
    choice.unit = plan.slice_bytes;
    choice.lines = lines;
}

}  // namespace

bool fits_any_dims(const Plan& plan) noexcept {
    return plan.mode != Mode::kWrap && !plan.is_linear && plan.coordinate_count > 0;
}

bool has_single_targets(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept {
    const std::int64_t element = plan.slice_bytes;
    if (plan.is_linear && element != plan.element_bytes) return false;
    return is_single(element) && items_are_packed(plan) && table_has_whole_slices(plan) &&
           static_cast<std::int64_t>(tensors.table.bytes) <= element * reach.texels;
}

Choice choose(const Plan& plan, const Tensors& tensors, const Reach& reach) {
    Choice choice;
    const std::optional<PositionLines> lines = find_position_lines(plan, tensors, reach);
    if (lines && (lines->are_named_early || (lines->are_compared && !plan.copies_source))) {
        take_lines(plan, *lines, choice);
        return choice;
    }
    const bool has_lines = lines && !lines->have_blocks;
    if (const std::optional<Blocks> blocks = find_blocks(plan, tensors, reach, has_lines)) {
        choice.path = Path::kBlocks;
        choice.blocks = *blocks;
        return choice;
    }
    if (plan.reduction != Reduction::kNone) {
        if (const auto reduced = find_reduced_lines(plan, tensors, reach)) {
            choice.path = Path::kLines;
            choice.lines = *reduced;
        }
        return choice;
    }
    choice.unit = unit_of(plan);
    if (choice.unit == 2 && plan.direction == Direction::kGather)
        choice.unit = 1;  // no such kernel
    if (!reach.typed_views) {
        choice.unit = std::min<std::int64_t>(choice.unit, 4);  // no kernel of 16 bytes
        return choice;
    }
    if (compares(plan, tensors, reach)) {
        choice.path = Path::kBytes;
        choice.unit = 1;
        choice.compares = true;
        return choice;
    }
    // Where each line has one position, no two name one target. Of narrow ones a thread has four.
    choice.are_apart = lines && lines->positions == 1 && plan.slice_bytes < kWord &&
                       fits_singles(plan, tensors, reach, choice.grid);
    const auto found = lines ? lines : find_held_lines(plan, tensors, reach);
    if (found && !choice.are_apart) {
        take_lines(plan, *found, choice);
        return choice;
    }
    if (choice.are_apart || fits_singles(plan, tensors, reach, choice.grid)) {
        choice.path = Path::kSingles;
        choice.unit = plan.slice_bytes;
        choice.has_stripes = wants_stripes(plan, tensors, choice.grid, reach.profile);
        choice.table_in = table_in(plan, choice.grid, reach.profile);
        return choice;
    }
    if (fits_any(plan, tensors, reach)) {
        choice.path = Path::kAny;
        choice.unit = plan.slice_bytes;
        return choice;
    }
    if (goes_by_eights(plan, tensors, reach)) {
        choice.path = Path::kAny;
        choice.unit = kEight;
        return choice;
    }
    const bool is_simple = plan.rank <= 1 && plan.coordinate_count == 1 &&
                           index_bytes(plan.index_type) >= 4 && plan.mode != Mode::kWrap;
    if (choice.unit == kPieceBytes || (choice.unit == 4 && is_simple)) {
        choice.path = Path::kRows;
        choice.is_simple = is_simple;
    }
    if (choice.unit < kPieceBytes && fits_bytes(plan, tensors, reach) &&
        (choice.path != Path::kRows || rows_are_slow(plan, tensors, reach)) &&
        !units_are_quick(plan, choice.unit)) {
        choice.path = Path::kBytes;
        choice.unit = 1;
    }
    return choice;
}

bool has_many_targets(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept {
    if (plan.direction != Direction::kScatter || plan.reduction != Reduction::kNone) return false;
    const auto bytes = static_cast<std::int64_t>(tensors.table.bytes);
    return !plan.unique_indices && 4 * quotient_up(bytes, table_step(plan)) > reach.words();
}

TableWalk table_walk(const Plan& plan, const Choice& choice) noexcept {
    const bool is_small = choice.table_in == TableIn::kSmallGroup;
    const std::int64_t group = is_small                                   ? kGroupOf4KiB
                               : choice.table_in == TableIn::kMediumGroup ? kGroupOf16KiB
                                                                          : kGroupOf32KiB;
    TableWalk found{};
    found.lines = choice.grid.outer.size;
    found.line_fours = quotient_up(choice.grid.inner.size, kFour);
    found.line_elements = held_line(plan);
    // As many as still leave groups for all of the GPU; where a group's start is cheap, few.
    const std::int64_t there = found.line_fours * found.lines / (group * kManyGroups);
    const std::int64_t most = is_small && plan.slice_bytes > 1 ? kMostInFlight : kMostRounds;
    found.rounds = std::clamp(there / kMostInFlight * kMostInFlight, kMostInFlight, most);
    found.groups = found.lines * quotient_up(found.line_fours, found.rounds * group);
    return found;
}

bool uses_texture(TableIn table_in) noexcept {
    return table_in == TableIn::kTexture || table_in == TableIn::kGroupAndTexture;
}

Kernel gather_singles_kernel(const Choice& choice, const Plan& plan) noexcept {
    const std::int64_t index = index_bytes(plan.index_type);
    switch (choice.table_in) {
        case TableIn::kSmallGroup:
            return kernels::gather_table(kSmallHeldKib, choice.unit, index);
        case TableIn::kMediumGroup:
            return kernels::gather_table(kHeldKib, std::max<std::int64_t>(choice.unit, 2), index);
        case TableIn::kLargeGroup:
            return kernels::gather_table(kLargeHeldKib, 4, index);
        case TableIn::kGroupAndBuffer:
            return kernels::gather_table_buffer(index);
        case TableIn::kGroupAndTexture:
            return kernels::gather_table_textured(index);
        case TableIn::kTexture:
            return kernels::gather_textured(index);
        default:
            return kernels::gather_singles(kernel_element(choice.unit), index,
                                           plan.coordinate_count);
    }
}

Kernel rows_kernel(const Choice& choice, Direction direction) noexcept {
    if (direction == Direction::kGather) {
        return choice.is_simple ? kernels::gather_rows_simple(choice.unit) : Kernel::gather_rows;
    }
    return choice.is_simple ? kernels::scatter_rows_simple(choice.unit) : Kernel::scatter_rows;
}

}  // namespace dmlindex::d3d12
