// Checks every index, one a thread, in C order of the indices: the first bad one ends up in the slot.
// dims are those of the indices (without the tuple's own). arguments: the part of the indices that there is a view of; x
// the first byte, y how many.

#include "plan.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= thread_count) return;
    uint tuple = id / coordinate_count;
    CoordinateConstants coordinate = coordinates[id - tuple * coordinate_count];
    uint offset = locate(tuple).index + coordinate.index_offset - arguments.x;
    if (offset >= arguments.y) return;
    uint2 value = load_index(offset);
    if (!is_inside(value, coordinate.limit)) note_outside(coordinate.limit, id);
}
