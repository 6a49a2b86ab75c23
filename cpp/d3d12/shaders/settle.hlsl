// Settles which of arguments.y operators in a row have failed, the first of which has slot number arguments.x: because
// an operator did whose result it uses (pattern: four slots or kNoSlot each), or because of a bad index.

#include "constants.hlsli"

[numthreads(1, 1, 1)]
void main() {
    [loop] for (uint i = 0; i < arguments.y; ++i) {
        uint own = 16 * (arguments.x + i);
        uint4 parents = pattern[i];
        uint origin = 0;
        [unroll] for (uint p = 0; p < 4; ++p) {
            if (parents[p] != kNoSlot && origin == 0) origin = slots.Load(parents[p] + 4);
        }
        if (origin == 0 && slots.Load(own) != 0) origin = arguments.x + i + 1;
        slots.Store(own + 4, origin);
    }
}
