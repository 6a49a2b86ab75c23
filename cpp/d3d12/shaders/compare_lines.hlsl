// scatter_lines.hlsl for lines whose positions are neighbours: a thread a position, which looks whether a later one of its
// line names its target, too; the last one's item is stored. A group has whole lines, so that nothing but its memory is
// asked. dims are those of the lines; the table's strides and the items' are in elements. arguments: x lines, y positions
// of a line, z and w from one to the next in items and indices. pattern[0]: x lines of a group.

#define GROUP kBlockThreads
#define WRAPS 0
#include "plan.hlsli"

Buffer<uint2> items : register(t0);        // R8, R16, R32 or RG32: an element
Buffer<uint2> index_pairs : register(t2);  // 8 bytes of the indices each
RWBuffer<uint2> table : register(u0);      // as items

static const uint kNone = 0xffffffff;

groupshared uint named[GROUP + 4];  // the threads' targets; four are read at once

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint own = thread / arguments.y;
    uint position = thread - own * arguments.y;
    uint number = group_id(group) * pattern[0].x + own;
    bool names = own < pattern[0].x && number < arguments.x && !failed();
    uint2 item = 0;
    uint target = 0;
    [branch] if (names) {
        Place place = locate(number);
        item = items[place.item + position * arguments.z];
        target = place.table;
        [loop] for (uint k = 0; k < coordinate_count; ++k) {
            CoordinateConstants coordinate = coordinates[k];
            uint offset = place.index + position * arguments.w + coordinate.index_offset;
            uint2 value;
            [branch] if (index_bytes == 8) {
                value = index_pairs[offset / 8];
            } else {
                value = load_index(offset);
            }
            if (mode == kModeSkip) names = names && is_inside(value, coordinate.limit);
            target += resolve(value, coordinate.limit, offset / index_bytes) * coordinate.table_stride;
        }
    }
    named[thread] = names ? target : kNone;
    if (thread < 4) named[GROUP + thread] = kNone;
    GroupMemoryBarrierWithGroupSync();
    // Other lines have other targets: to look at some of theirs does no harm.
    [loop] for (uint i = position + 1; names && i < arguments.y; i += 4) {
        uint at = thread - position + i;
        uint4 others = uint4(named[at], named[at + 1], named[at + 2], named[at + 3]);
        names = !any(others == target);
    }
    [branch] if (names) table[target] = item;
}
