// Reductions, step 3: counts become the places where each block's pairs of each digit begin. One group, one
// digit a thread.

#include "sort.hlsli"

groupshared uint sums[DIGITS];

[numthreads(DIGITS, 1, 1)]
void main(uint thread : SV_GroupIndex) {
    uint total = 0;
    uint block;
    [loop] for (block = 0; block < arguments.z; ++block) {
        total += counts.Load(4 * (block * DIGITS + thread));
    }
    sums[thread] = total;
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint reach = 1; reach < DIGITS; reach *= 2) {
        uint below = thread >= reach ? sums[thread - reach] : 0;
        GroupMemoryBarrierWithGroupSync();
        sums[thread] += below;
        GroupMemoryBarrierWithGroupSync();
    }
    uint place = sums[thread] - total;
    [loop] for (block = 0; block < arguments.z; ++block) {
        uint offset = 4 * (block * DIGITS + thread);
        uint count = counts.Load(offset);
        counts.Store(offset, place);
        place += count;
    }
}
