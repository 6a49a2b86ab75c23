// Items → table, single elements, where the positions of a line meet each other's targets and no other line's: a thread
// goes through a line's positions in order, so that the last one's stays. dims are those of the lines; the table's strides
// and the items' are in elements. arguments: x lines, y positions of a line, z and w from one to the next in items and
// indices.

#include "plan.hlsli"

Buffer<uint2> items : register(t0);    // R8, R16, R32 or RG32: an element
RWBuffer<uint2> table : register(u0);  // the same

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= arguments.x || failed()) return;
    Place start = locate(id);
    [loop] for (uint i = 0; i < arguments.y; ++i) {
        Place place = start;
        place.item += i * arguments.z;
        place.index += i * arguments.w;
        uint2 element = items[place.item];
        [branch] if (resolve_all(place)) table[place.table] = element;
    }
}
