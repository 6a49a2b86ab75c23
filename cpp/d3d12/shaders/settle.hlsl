// Settles whether an operator has failed, in one thread: because an operator did whose result it uses
// (arguments: their slots), or because of a bad index, whose value is kept, since the indices may change.
// dims are those of the indices.

#include "plan.hlsli"

[numthreads(1, 1, 1)]
void main() {
    uint origin = 0;
    [unroll] for (uint i = 0; i < 4; ++i) {
        if (arguments[i] != kNoSlot && origin == 0) origin = slots.Load(arguments[i] + 4);
    }
    uint bad = ~slots.Load(slot);
    if (origin == 0 && bad != 0xffffffff) {
        uint tuple = bad / coordinate_count;
        uint4 coordinate = coordinates[bad - tuple * coordinate_count];
        slots.Store2(slot + 8, load_index(locate(tuple).index + coordinate.z));
        origin = slot / 16 + 1;
    }
    slots.Store(slot + 4, origin);
}
