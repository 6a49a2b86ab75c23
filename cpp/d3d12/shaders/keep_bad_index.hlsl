// Keeps the value of an operator's first bad index in its slot, before the indices change. dims are those of
// the indices. arguments: as in check_indices.hlsl.

#include "plan.hlsli"

[numthreads(1, 1, 1)]
void main() {
    uint bad = ~slots.Load(slot);
    if (bad == 0xffffffff) return;
    uint tuple = bad / coordinate_count;
    CoordinateConstants coordinate = coordinates[bad - tuple * coordinate_count];
    uint offset = locate(tuple).index + coordinate.index_offset - arguments.x;
    if (offset >= arguments.y) return;
    slots.Store2(slot + 8, load_index(offset));
}
