// Which of arguments.y operators in a row have failed because one did whose result they use; the first of them has slot
// number arguments.x. pattern: for each the offsets of four slots, or kNoSlot.

#include "constants.hlsli"

[numthreads(1, 1, 1)]
void main() {
    [loop] for (uint i = 0; i < arguments.y; ++i) {
        uint4 parents = pattern[i];
        uint fails = 0;
        [unroll] for (uint p = 0; p < 4; ++p) {
            [branch] if (parents[p] != kNoSlot) fails |= any(slots.Load2(parents[p]) != 0) ? 1 : 0;
        }
        slots.Store(16 * (arguments.x + i) + 4, fails);
    }
}
