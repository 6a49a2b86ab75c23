// Keeps the value of an operator's first bad index in its slot, before the indices change. dims are those of
// the indices.

#include "plan.hlsli"

[numthreads(1, 1, 1)]
void main() {
    uint bad = ~slots.Load(slot);
    if (bad == 0xffffffff) return;
    uint tuple = bad / coordinate_count;
    CoordinateConstants coordinate = coordinates[bad - tuple * coordinate_count];
    slots.Store2(slot + 8, load_index(locate(tuple).index + coordinate.index_offset));
}
