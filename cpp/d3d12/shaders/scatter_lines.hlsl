// Items → table, single elements, where the positions of a line meet each other's targets and no other line's: a thread
// goes through a line's positions in order, so that the last one's stays; it fetches four at a time. Of few targets it
// goes backwards, until all are named. dims are those of the lines; the table's strides and the items' are in elements.
// arguments: x lines, y positions of a line, z and w from one to the next in items and indices. pattern[0]: x the targets
// of a line that is gone through backwards, or 0, y from one to the next: the coordinate's stride is 1 then.

#define INDEX_PAIRS
#define WRAPS 0
#include "targets.hlsli"

Buffer<uint2> items : register(t0);    // R8, R16, R32 or RG32: an element
RWBuffer<uint2> table : register(u0);  // the same

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= arguments.x || failed()) return;
    Place start = locate(id);
    bool backwards = pattern[0].x != 0;
    bool reads_all = !backwards || (slot != kNoSlot && slot_use == kSlotNotes);
    uint missing = backwards ? 0xffffffff >> (32 - pattern[0].x) : 0;  // a bit for each target that is not named yet
    uint fours = (arguments.y + 3) / 4;
    [loop] for (uint i = 0; i < fours && (reads_all || missing != 0); ++i) {
        uint4 position = 4 * (backwards ? fours - 1 - i : i) + uint4(0, 1, 2, 3);
        bool4 named = position < arguments.y;
        position = named ? position : 0;
        uint2 elements[4];
        uint j;
        [branch] if (!backwards) {
            [unroll] for (j = 0; j < 4; ++j) {
                elements[j] = 0;
                [branch] if (named[j]) elements[j] = items[start.item + position[j] * arguments.z];
            }
        }
        uint4 target = 0;
        [loop] for (uint k = 0; k < coordinate_count; ++k) {
            target += add_coordinate(k, start.index + position * arguments.w, named);
        }
        [branch] if (backwards) {
            [unroll] for (j = 4; j-- > 0;) {
                uint bit = 1u << target[j];
                [branch] if (named[j] && (missing & bit) != 0) {
                    table[start.table + target[j] * pattern[0].y] = items[start.item + position[j] * arguments.z];
                    missing ^= bit;
                }
            }
        } else {
            [unroll] for (j = 0; j < 4; ++j) {
                if (named[j]) table[start.table + target[j]] = elements[j];
            }
        }
    }
}
