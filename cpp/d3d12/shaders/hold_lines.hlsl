// Scatters in which the last write wins, and sums of integers, along lines of the table that are apart: a group has some of
// them to itself, and its threads note in its memory what comes to each target, in any order: the last position, or the
// sum. Then they store that, with copies the lines' other elements, too. dims are those of the lines; the table's strides
// and the items' are in elements, the coordinate's is 1. arguments: x lines, y positions of a line, z and w from one to the
// next in items and indices. pattern[0]: x lines of a group, y targets of a line, z from one to the next in the table, w
// whether neighbouring threads have neighbouring positions, not lines; pattern[1]: x whether there are copies, y the bytes
// of an element of a sum, or 0, z all bits of one.

#define GROUP kBlockThreads
#define WRAPS 0
#include "targets.hlsli"
#include "wide.hlsli"

Buffer<uint2> items : register(t0);    // R8, R16, R32 or RG32: an element
Buffer<uint2> source : register(t2);   // the same
RWBuffer<uint2> table : register(u0);  // the same

groupshared uint held[kHeldWords];  // a position of its line + 1, or a sum; in the second half the high words of sums

void note(uint at, uint2 what) {
    [branch] if (pattern[1].y == 0) {
        if (held[at] < what.x) InterlockedMax(held[at], what.x);
    } else {
        uint low;
        InterlockedAdd(held[at], what.x, low);
        [branch] if (pattern[1].y == 8) {
            uint high = what.y + (low + what.x < low ? 1 : 0);
            if (high != 0) InterlockedAdd(held[at + kHeldWords / 2], high);
        }
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    bool sums = pattern[1].y != 0;
    bool copies = pattern[1].x;
    bool in_rows = pattern[0].w;
    uint most = pattern[0].x;
    uint count = pattern[0].y;
    uint lanes = GROUP / most;
    uint first = min(group_id(group) * most, arguments.x);
    uint lines = failed() ? 0 : min(most, arguments.x - first);
    uint own = in_rows ? thread / lanes : thread % most;
    uint lane = in_rows ? thread % lanes : thread / most;
    bool walks = own < lines && lane < lanes;
    // In the group's memory neighbouring threads have neighbouring words, too.
    uint begin = in_rows ? own * count : own;
    uint along = in_rows ? 1 : most;
    Place start = locate(min(first + own, arguments.x - 1));
    uint j;
    [loop] for (uint w = thread; w < count * most; w += GROUP) {
        held[w] = 0;
        if (pattern[1].y == 8) held[w + kHeldWords / 2] = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint i = walks ? lane : arguments.y; i < arguments.y; i += 4 * lanes) {
        uint4 number = arguments.y - (i + uint4(0, 1, 2, 3) * lanes);  // the last ones first: most others find them there
        bool4 named = number - 1 < arguments.y;
        uint4 position = named ? number - 1 : 0;
        uint4 low = number;
        uint4 high = 0;
        [branch] if (sums) {
            [unroll] for (j = 0; j < 4; ++j) {
                uint2 update = items[start.item + position[j] * arguments.z];
                low[j] = update.x;
                high[j] = update.y;
            }
        }
        uint4 at = begin + add_coordinate(0, start.index + position * arguments.w, named) * along;
        [loop] for (uint k = 0; k < 4; ++k) {
            bool4 one = named && uint4(0, 1, 2, 3) == k;
            [branch] if (any(one)) note(pick(at, one), uint2(pick(low, one), pick(high, one)));
        }
    }
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint e = walks ? lane : count; e < count; e += 2 * lanes) {
        uint2 element = e + uint2(0, 1) * lanes;
        bool2 there = element < count;
        element = there ? element : e;
        uint2 place = start.table + element * pattern[0].z;
        uint2 at = begin + element * along;
        uint2 noted;
        uint2 high = 0;
        [unroll] for (j = 0; j < 2; ++j) {
            noted[j] = held[at[j]];
            if (pattern[1].y == 8) high[j] = held[at[j] + kHeldWords / 2];
        }
        there = there && (copies || (noted | high) != 0);
        uint2 values[2];
        [unroll] for (j = 0; j < 2; ++j) {
            [branch] if (!sums && noted[j] != 0) {
                values[j] = items[start.item + (noted[j] - 1) * arguments.z];
            } else if (there[j]) {
                values[j] = source[place[j]];
            } else {
                values[j] = 0;
            }
        }
        [unroll] for (j = 0; j < 2; ++j) {
            if (sums) values[j] = add_wide(values[j], uint2(noted[j], high[j]));
            if (there[j]) table[place[j]] = uint2(values[j].x & pattern[1].z, values[j].y);
        }
    }
}
