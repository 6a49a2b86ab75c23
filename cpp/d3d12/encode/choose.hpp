// Which kernels run a plan. The general ones run any plan, with a loop and a division for each dim;
// the others know more of how it lies, and reach what the memory gives. docs/gpu_speed.md says what
// each gains.
#pragma once

#include <cstdint>

#include "d3d12/host/adapter.hpp"
#include "d3d12/memory/pool.hpp"
#include "d3d12/memory/rounding.hpp"
#include "d3d12/profile.hpp"
#include "d3d12/shaders/constants.hpp"
#include "d3d12/shaders/kernels.hpp"
#include "plan/facts.hpp"
#include "plan/plan.hpp"

namespace dmlindex::d3d12 {

// The tensors of a plan; bytes is what the tensor has, which may be less than the pool gave it.
struct Tensors {
    Span table;
    Span items;
    Span indices;
    Span source;
};

// Where a gather of kSingles finds the table. A group of gather_table.hlsl keeps what it reads in
// its own memory: little, more, or all it may have; and beyond that there is a buffer, or a
// texture.
enum class TableIn : std::uint8_t {
    kBuffer,
    kTexture,
    kSmallGroup,
    kMediumGroup,
    kLargeGroup,
    kGroupAndBuffer,
    kGroupAndTexture,
};

enum class Path : std::uint8_t {
    kGeneral,  // gather_units.hlsl, scatter_units.hlsl, find_winners.hlsl
    kRows,     // move_rows.hlsl: slices of whole pieces of 16 or 4 bytes
    kSingles,  // four.hlsli: single elements, four neighbouring positions a thread
    kAny,      // gather_any.hlsl: the same of any dims, coordinates and indices; 8 bytes of slices
    kLines,    // scatter_lines.hlsl, reduce_lines.hlsl, hold_lines.hlsl: lines of positions
    kBytes,    // gather_bytes.hlsl, scatter_bytes.hlsl: slices of any size, in pieces of 16 bytes
    kBlocks,   // scatter_blocks.hlsl, reduce_blocks.hlsl: see blocks.hpp
};

// The positions of kSingles: lines of neighbours.
struct Grid {
    Dim outer{1, 0, 0, 0};
    Dim inner{1, 0, 0, 0};
    bool repeats_indices = false;  // every line reads the same
};

// The positions of kLines: the dims but one tell the lines.
struct PositionLines {
    int along = -1;  // the dim whose positions are a line's; none: a line has one
    std::int64_t positions = 1;
    std::int64_t count = 0;
    // Of a scatter: whether the last positions are likely to name all targets.
    bool are_named_early = false;
    // And whether blocks are quicker, if they fit.
    bool have_blocks = false;
    // Of compare_lines.hlsl: a position has a thread, which looks at the later ones of its line.
    bool are_compared = false;
    // Of hold_lines.hlsl: a group notes in its memory what comes to its lines' targets.
    bool are_held = false;
    // Of those, and of a reduction:
    bool are_rows = false;      // a line's elements are neighbours, and lines follow each other
    std::int64_t together = 0;  // of a group
    // Of a reduction:
    int lane_shift = 0;      // each has 2 to the power of it lanes
    bool are_short = false;  // a sum's, for add_lines
};

// The blocks of the table of kBlocks, a group each.
struct Blocks {
    std::int64_t units;          // of a block: targets of a scatter, elements of a reduction
    std::int64_t positions;      // that a group goes through
    std::int64_t position_step;  // from one group's first to the next's; 0: all go through all
    std::int64_t groups;
};

struct Choice {
    Path path = Path::kGeneral;
    std::int64_t unit = 1;   // bytes moved at once
    bool is_simple = false;  // kRows: no loops over dims and coordinates
    bool compares = false;  // kBytes: a scatter that finds out by itself which position is the last
    bool has_stripes = false;  // kSingles: lines are walked in stripes
    bool are_apart = false;    // kSingles: no two positions of a scatter can name one target
    TableIn table_in = TableIn::kBuffer;
    Grid grid;            // kSingles
    PositionLines lines;  // kLines
    Blocks blocks;        // kBlocks
};

// What kernels see of a tensor: by typed views or not, and so many texels of it at once; and which
// of them are fast on the device.
struct Reach {
    static constexpr std::int64_t kTexels = std::int64_t{1} << 27;  // D3D12's limit

    bool typed_views = false;
    std::int64_t texels = kTexels;
    const Profile& profile = kDefaultProfile;
    bool has_short_loops = false;  // lavapipe ends those of a thread after 65535 rounds in all
    AtomicAdds adds{};             // kernels with ADDS that may be used

    std::int64_t words() const noexcept { return 4 * texels; }    // bytes by texels of 4; raw views
    std::int64_t pieces() const noexcept { return 16 * texels; }  // bytes by texels of 16
};

// Whether there are kernels that move so many bytes as one element.
constexpr bool is_single(std::int64_t bytes) noexcept {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}
// What kernels are built for that take elements of up to 4 bytes alike.
constexpr std::int64_t kernel_element(std::int64_t bytes) noexcept { return bytes < 4 ? 4 : bytes; }
// Whether all strides in the table are whole slices.
bool table_has_whole_slices(const Plan& plan) noexcept;

// Whether the kernels of any.hlsli can resolve the plan's indices.
bool fits_any_dims(const Plan& plan) noexcept;
// Whether slices are single elements that lie packed in items, and anywhere in the table.
bool has_single_targets(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept;

// Whether the kernels of four.hlsli can walk the plan's positions, and how; their slices may be of
// any size.
bool find_grid(const Plan& plan, Grid& grid) noexcept;

// How the plan runs. A reduction has its own ways where it does not go by blocks.
Choice choose(const Plan& plan, const Tensors& tensors, const Reach& reach);

// The elements of a line of the table that a kernel holds in another place than the table's.
std::int64_t held_line(const Plan& plan) noexcept;

// How gather_table.hlsl goes through the positions: a group walks rounds.
struct TableWalk {
    std::int64_t line_fours;  // fours of positions that share a part of the table
    std::int64_t lines;
    std::int64_t line_elements;  // of the table
    std::int64_t rounds;
    std::int64_t groups;
};
TableWalk table_walk(const Plan& plan, const Choice& choice) noexcept;

// Of a texture that holds a table: elements of a row.
inline constexpr std::int64_t kTextureWidth = 1 << kTextureShift;

// Whether a scatter in which the last write wins has more targets than there can be winners of.
bool has_many_targets(const Plan& plan, const Tensors& tensors, const Reach& reach) noexcept;

// Whether a reduction's updates may come in whatever order, and there is a kernel for that.
bool can_accumulate(const Plan& plan, const Reach& reach) noexcept;
// Elements that a reduction combines with the table's.
std::int64_t updates_of(const Plan& plan) noexcept;
// Of a sum of floats that the hardware adds (accumulate_sums): the bytes of one; of others 0.
std::int64_t added_bytes(const Plan& plan, const Reach& reach) noexcept;

// The last write to each target wins; whether it is made by going through the targets, not the
// positions.
bool goes_by_target(const Plan& plan, std::int64_t targets, const Profile& profile) noexcept;

// Bytes up to which slices of whole words are moved word by word: of scatters, and where there is
// much to gather, a third of what others have.
std::int64_t long_slice_bytes(const Plan& plan, const Profile& profile) noexcept;

// Whether positions are so few for the targets that most find no later one, if their targets are
// spread evenly: 1 or 0.
std::uint32_t has_few_for_each(const Plan& plan, std::int64_t targets) noexcept;

// Whether neighbouring positions have indices of their own that move between lines of the table,
// as along an outer axis: then they name targets far apart, however their indices follow.
bool has_targets_apart(const Plan& plan) noexcept;

// The copy that a scatter begins with, as a plan: copying is gathering without a coordinate.
Plan copy_plan(const Plan& plan, std::uint64_t table_bytes);

// Whether that is the whole table, as it lies.
bool copies_all(const Plan& plan, std::uint64_t table_bytes) noexcept;

// What all slices of the table, and their size, are whole multiples of.
std::int64_t table_step(const Plan& plan) noexcept;
// The largest unit that all slices are whole multiples of, wherever they begin; and what fills
// them has to fit into a dispatch's constants.
std::int64_t unit_of(const Plan& plan) noexcept;
// The plan with units for slices, of which each slice is then a dim, where it has several.
Plan with_units(const Plan& plan, std::int64_t unit) noexcept;
bool items_are_packed(const Plan& plan) noexcept;
// Whether the indices lie in C order without gaps, so that an offset tells an index's number.
bool indices_are_packed(const Plan& plan) noexcept;
// Whether position p's indices, of 4 or 8 bytes, are the p-th tuple.
bool tuples_follow_positions(const Plan& plan) noexcept;

// Whether the families of kernels with variants for INDEX and COORDINATES have one for the plan's
// indices.
bool has_index_kernels(const Plan& plan) noexcept;
// The same of find_single_winners, which has fewer: find_any_winners is as quick for the others.
bool has_single_winners(const Plan& plan) noexcept;

// The one of such a family.
template <typename Family>
Kernel for_indices(Family find, const Plan& plan) noexcept {
    return find(index_bytes(plan.index_type), plan.coordinate_count);
}

bool uses_texture(TableIn table_in) noexcept;
Kernel gather_singles_kernel(const Choice& choice, const Plan& plan) noexcept;
Kernel rows_kernel(const Choice& choice, Direction direction) noexcept;

}  // namespace dmlindex::d3d12
