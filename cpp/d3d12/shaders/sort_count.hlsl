// Reductions, step 2: how often each digit is in each block.

#include "sort.hlsli"

groupshared uint found[kDigits];

[numthreads(kDigits, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint count = pair_count();
    uint block = group_id(group);
    found[thread] = 0;
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint round = 0; round < arguments.w; ++round) {
        uint i = (block * arguments.w + round) * kDigits + thread;
        [branch] if (i < count) InterlockedAdd(found[digit_of(pairs.Load(8 * i))], 1);
    }
    GroupMemoryBarrierWithGroupSync();
    if (block < arguments.z) counts.Store(4 * (block * kDigits + thread), found[thread]);
}
