// Items → table, single elements, where the positions of a line meet each other's targets and no other line's: a thread
// goes through a line's positions in order, so that the last one's stays; it fetches four at a time. dims are those of the
// lines; the table's strides and the items' are in elements. arguments: x lines, y positions of a line, z and w from one to
// the next in items and indices.

#include "targets.hlsli"

Buffer<uint2> items : register(t0);    // R8, R16, R32 or RG32: an element
RWBuffer<uint2> table : register(u0);  // the same

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= arguments.x || failed()) return;
    Place start = locate(id);
    [loop] for (uint i = 0; i < arguments.y; i += 4) {
        uint4 position = i + uint4(0, 1, 2, 3);
        bool4 named = position < arguments.y;
        position = named ? position : i;
        uint2 elements[4];
        uint j;
        [unroll] for (j = 0; j < 4; ++j) elements[j] = items[start.item + position[j] * arguments.z];
        uint4 target = start.table;
        [loop] for (uint k = 0; k < coordinate_count; ++k) {
            target += add_coordinate(k, start.index + position * arguments.w, named);
        }
        [unroll] for (j = 0; j < 4; ++j) {
            if (named[j]) table[target[j]] = elements[j];
        }
    }
}
