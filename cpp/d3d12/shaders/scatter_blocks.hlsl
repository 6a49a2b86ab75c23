// A scatter in which the last write wins, at once: each group has a block of the table to itself, finds in its own memory
// the last position that names each target there, and writes them; with copies the rest of the block, too. arguments: x
// the positions, y those that a group goes through, z from one group's first to the next's (0: all groups go through
// all, so that each knows by itself whether an index is bad), w the targets of a block. pattern[0]: x the words of a
// block, y those of the table, z whether what no position names is copied from the source, w the parts of a word, 1, 2
// or 4, which slices are whole multiples of.

#define GROUP kBlockThreads
#define HOLDS
#include "targets.hlsli"

Buffer<uint> items : register(t0);  // a part each
Buffer<uint> source : register(t2);
RWBuffer<uint> table : register(u0);

groupshared uint winners[kBlockTargets];  // a position among the group's + 1

// Finds the last of the group's positions for each target of the block.
void find_last(uint begin, uint count, uint first_target, uint thread) {
    [loop] for (uint walked = thread; walked < count; walked += 4 * GROUP) {
        uint4 number = count - (walked + uint4(0, 1, 2, 3) * GROUP);  // the last ones first: most others find them there
        bool4 named = number - 1 < count;
        uint4 target = find_targets(begin + number - 1, named) - first_target;
        named = named && target < arguments.w;
        [unroll] for (uint i = 0; i < 4; ++i) {
            [branch] if (named[i]) {
                if (winners[target[i]] < number[i]) InterlockedMax(winners[target[i]], number[i]);
            }
        }
    }
}

// Four words, or the parts of one: `part` are the block's, `word` those that they are in.
void write_four(uint begin, uint first_word, uint words, uint4 word, uint4 part, bool4 there) {
    uint parts = pattern[0].w;
    uint4 target = part >> slice_shift;
    [branch] if (slice_shift == 32) target = part / slice_units;
    there = there && target < arguments.w;
    uint4 winner = 0;
    uint4 value = 0;
    uint i;
    [unroll] for (i = 0; i < 4; ++i) {
        [branch] if (there[i]) winner[i] = winners[target[i]];
    }
    bool4 wins = winner != 0;
    uint4 item = (begin + winner - 1 - target) * slice_units + part;
    [unroll] for (i = 0; i < 4; ++i) {
        [branch] if (wins[i]) {
            value[i] = items[item[i]];
        } else if (parts == 1 && pattern[0].z) {
            value[i] = source[first_word + word[i]];
        }
    }
    [branch] if (parts == 1) {
        [unroll] for (i = 0; i < 4; ++i) {
            if (word[i] < words && (wins[i] || pattern[0].z)) table[first_word + word[i]] = value[i];
        }
    } else if (word.x < words && (any(wins) || pattern[0].z)) {
        uint at = first_word + word.x;
        uint bits = 32 >> (parts >> 1);
        uint result;
        [branch] if (pattern[0].z) {
            result = source[at];
        } else {
            result = table[at];
        }
        [unroll] for (i = 0; i < 4; ++i) {
            uint mask = ((1u << bits) - 1) << bits * i;
            if (wins[i]) result = (result & ~mask) | value[i] << bits * i;
        }
        table[at] = result;
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (is_left_over(group)) return;
    uint block = group_id(group);
    uint2 told = 0;
    [branch] if (slot != kNoSlot) told = slots.Load2(slot);
    [loop] for (uint i = thread; i < arguments.w; i += GROUP) winners[i] = 0;
    if (thread == 0) held = 0;
    GroupMemoryBarrierWithGroupSync();
    uint begin = block * arguments.z;
    uint end = min(begin + arguments.y, arguments.x);
    find_last(begin, end - begin, block * arguments.w, thread);
    GroupMemoryBarrierWithGroupSync();
    if (held || any(told != 0)) return;

    uint parts = pattern[0].w;
    uint4 step = parts == 1 ? uint4(0, 1, 2, 3) * GROUP : uint4(0, 1, 2, 3);
    uint first_word = block * pattern[0].x;
    uint words = min(pattern[0].x, pattern[0].y - first_word);
    uint each = parts == 1 ? 4 : 1;  // words of a thread in a round
    [loop] for (uint round = 0; round < words; round += each * GROUP) {
        uint4 part = parts * (round + thread) + step;
        uint4 word = parts == 1 ? part : round + thread;
        bool4 there = word < words && (parts == 1 || uint4(0, 1, 2, 3) < parts);
        write_four(begin, first_word, words, word, part, there);
    }
}
