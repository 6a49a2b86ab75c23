// From where on one kernel beats another. That differs between cards, and between the libraries
// that stand between them and D3D12, so that it is data: here are the defaults, and a profile that
// `dmlindex devices --tune` has measured changes some of them. docs/d3d12.md says on which card
// each default was measured. Any value in range computes the same.
#pragma once

#include <cstdint>

namespace dmlindex::d3d12 {

// A texture holds tables of so many elements at most.
inline constexpr std::int64_t kTextureElements = 1 << 18;
// Bytes of a group's memory that kernels are built for, at most.
inline constexpr std::int64_t kGroupBytes = 32 << 10;

struct Profile {
    // Gathers of single elements go down stripes of a table of more bytes than that (of others the
    // GPU's cache holds it all anyway), on lines of as many positions.
    std::int64_t striped_table_bytes = 16ll << 20;
    std::int64_t striped_line = 512;

    // They keep the table, or a line of it, in a group's memory if it fits into so many bytes, and
    // they have as many positions: for fewer, a group's start costs too much.
    std::int64_t held_bytes = kGroupBytes;
    std::int64_t held_positions = 1 << 21;
    // And that many on each line, where there are several; twice as many of bytes, or of a line of
    // more than 1,024 elements (512 of 8 bytes), which take more than 4 KiB of the group's memory.
    std::int64_t held_line = 1024;
    // So many elements of 4 bytes in a group's memory in part, the rest in a buffer, or a texture;
    // or all of them in a texture: each up to that many elements, for as many positions.
    std::int64_t group_and_buffer_elements = 1 << 15;
    std::int64_t group_and_texture_elements = 1 << 16;
    std::int64_t texture_elements = kTextureElements;
    std::int64_t large_table_positions = 1 << 23;

    // Longer slices of no multiple of 16 bytes are built of unaligned reads, not moved word by
    // word; of scatters, and where there is much to gather, from a third of it on.
    std::int64_t long_slice_bytes = 256;

    // Gathers of longer slices of whole 8 bytes that are not whole 16 go 8 by 8.
    std::int64_t eights_slice_bytes = 32;

    // Scatters go through the targets, not the positions, if there are at most so many of them for
    // each position: where the copy of the source is made in the same pass, and in place.
    std::int64_t targets_copied = 16;
    std::int64_t targets_in_place = 8;
    // The same as the first of them, of slices of several elements; in place some eighths of it.
    std::int64_t slices_copied = 4;

    // The last position of each target is found range by range of the targets, where a word for
    // each of them takes more bytes than that: a range's then stay in the GPU's cache. That pays
    // for up to so many ranges, and targets for each position.
    std::int64_t range_bytes = 32ll << 20;
    std::int64_t most_ranges = 8;
    std::int64_t targets_in_ranges = 4;

    // Scatters of so many single elements in place whose targets take more than range_bytes first
    // look whether they are in order of positions: then the last of each needs not be found. Of
    // those that are unique, and take more bytes, threads beside each other store neighbours.
    std::int64_t ordered_positions = 1 << 20;

    // Where positions are at most so many, each group of the only kernel of a scatter in place
    // compares them all, and no other finds out which is the last.
    std::int64_t compared_positions = 256;

    // Of scatters of four times as many positions each has a thread to find the last of each
    // target. In place, of so many and of units of up to 16 bytes, that stores the last ones, too;
    // of up to four times as many where other ways have more to do for each.
    std::int64_t claimed_positions = 1 << 18;

    // Scatters and reductions of so few positions, into a table of so few bytes, are one kernel:
    // each of its groups goes through all positions. (Reductions for which the order does not
    // matter are quick by atomics, too.)
    std::int64_t few_positions = 4096;
    std::int64_t few_without_order = 128;
    std::int64_t few_table_bytes = 4ll << 20;
    // Scatters of so many positions along short lines of the table keep to a group each; of 64
    // times as many, if a target has 64 of them or more, or targets are of 4 bytes or more, and 16
    // or more on a line.
    std::int64_t block_positions = 1 << 21;

    // Scatters of single elements have a thread a line, where as many lines of the table have at
    // most so many positions each: the second number where lines lie beside each other, so that
    // neighbouring threads read neighbours.
    std::int64_t least_lines = 1 << 13;
    std::int64_t line_positions = 16;
    std::int64_t column_positions = 128;
    // Lines of so few targets with many positions for each have a thread, too: it goes backwards
    // until all are named.
    std::int64_t named_targets = 32;
    // And with so many positions in all for each of its targets: else lines are too few threads.
    std::int64_t named_positions = 3 << 16;
    // Scatters and sums of integers along columns of so many targets are noted in a group's memory,
    // and those of twice as many: sums along rows, and scatters of as many positions as targets.
    std::int64_t held_targets = 2048;
    // Reductions of floats along short lines have one, or several that share a line, from so many
    // threads on. Of more lines, each has one, but for those of more than line_positions that
    // follow each other.
    std::int64_t least_lanes = 1 << 11;
    std::int64_t shared_lines = 1 << 14;

    // Reductions in order make lists, and sort only long ones, where a target has so many updates
    // on average at most, and an update so many targets, single elements four times as many; or,
    // where no list can be long, where there are at most as many elements; 64 times as many of
    // single ones, however long lists are.
    std::int64_t listed_updates = 8;
    std::int64_t listed_elements = 1 << 16;
    // From so many sorted updates on a thread walks up to 256 of a target; else 64, or none of what
    // lists leave.
    std::int64_t walked_updates = 1 << 18;
    // Those of floats in any order take atomics below so many bytes of a slice, or of all updates.
    std::int64_t atomic_slice_bytes = 64;
    std::int64_t atomic_bytes = 1 << 22;
    // Those of float32 are added by atomics, where the device has such, from so many updates on;
    // but what would go by ranges does so all the same into a table of so few words, if each has
    // 1,024 updates.
    std::int64_t added_updates = 0;
    std::int64_t crowded_words = 1 << 13;
    // Sums of so many single elements that the hardware adds load two positions at once.
    std::int64_t paired_positions = 1 << 18;
    // From so many updates on, if the table has no more words, they are first put in order by
    // ranges of it, of which groups then keep one each in their memory. Also from an eighth of
    // that on, where a word has so many updates.
    std::int64_t bucket_updates = 1 << 19;
    std::int64_t held_updates = 64;
};

inline constexpr Profile kDefaultProfile;

// A value by its name, and what it may be.
struct Threshold {
    const char* name;
    std::int64_t Profile::*value;
    std::int64_t least;
    std::int64_t most;
};

inline constexpr std::int64_t kNever = std::int64_t{1} << 40;

inline constexpr Threshold kThresholds[] = {
    {"striped_table_bytes", &Profile::striped_table_bytes, 0, kNever},
    {"striped_line", &Profile::striped_line, 4, kNever},
    {"held_bytes", &Profile::held_bytes, 0, kGroupBytes},
    {"held_positions", &Profile::held_positions, 1, kNever},
    {"held_line", &Profile::held_line, 4, kNever},
    {"group_and_buffer_elements", &Profile::group_and_buffer_elements, 0, kTextureElements},
    {"group_and_texture_elements", &Profile::group_and_texture_elements, 0, kTextureElements},
    {"texture_elements", &Profile::texture_elements, 0, kTextureElements},
    {"large_table_positions", &Profile::large_table_positions, 1, kNever},
    {"long_slice_bytes", &Profile::long_slice_bytes, 0, kNever},
    {"eights_slice_bytes", &Profile::eights_slice_bytes, 0, kNever},
    {"targets_copied", &Profile::targets_copied, 0, 1 << 20},
    {"targets_in_place", &Profile::targets_in_place, 0, 1 << 20},
    {"slices_copied", &Profile::slices_copied, 0, 1 << 20},
    {"range_bytes", &Profile::range_bytes, 1 << 12, kNever},
    {"most_ranges", &Profile::most_ranges, 1, 64},
    {"targets_in_ranges", &Profile::targets_in_ranges, 0, 1 << 20},
    {"ordered_positions", &Profile::ordered_positions, 0, kNever},
    {"compared_positions", &Profile::compared_positions, 0, 256},
    {"claimed_positions", &Profile::claimed_positions, 0, kNever},
    {"few_positions", &Profile::few_positions, 0, 1 << 20},
    {"few_without_order", &Profile::few_without_order, 0, 2048},
    {"few_table_bytes", &Profile::few_table_bytes, 0, kNever},
    {"block_positions", &Profile::block_positions, 0, 1 << 24},
    {"least_lines", &Profile::least_lines, 1, kNever},
    {"line_positions", &Profile::line_positions, 0, 1 << 12},
    {"column_positions", &Profile::column_positions, 0, 1 << 12},
    {"named_targets", &Profile::named_targets, 0, 32},
    {"named_positions", &Profile::named_positions, 0, kNever},
    {"held_targets", &Profile::held_targets, 0, 4096},
    {"least_lanes", &Profile::least_lanes, 1, kNever},
    {"shared_lines", &Profile::shared_lines, 0, kNever},
    {"listed_updates", &Profile::listed_updates, 1, 64},
    {"listed_elements", &Profile::listed_elements, 0, 1 << 27},
    {"walked_updates", &Profile::walked_updates, 0, kNever},
    {"atomic_slice_bytes", &Profile::atomic_slice_bytes, 0, kNever},
    {"atomic_bytes", &Profile::atomic_bytes, 0, kNever},
    {"added_updates", &Profile::added_updates, 0, kNever},
    {"crowded_words", &Profile::crowded_words, 0, kNever},
    {"paired_positions", &Profile::paired_positions, 0, kNever},
    {"bucket_updates", &Profile::bucket_updates, 1, kNever},
    {"held_updates", &Profile::held_updates, 1, kNever},
};

// Whether all values are in range.
constexpr bool is_in_range(const Profile& profile) noexcept {
    for (const Threshold& one : kThresholds) {
        const std::int64_t value = profile.*one.value;
        if (value < one.least || value > one.most) return false;
    }
    return true;
}
static_assert(is_in_range(kDefaultProfile));

}  // namespace dmlindex::d3d12
