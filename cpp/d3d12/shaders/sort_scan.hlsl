// Reductions, step 3: counts become, for each digit, how many pairs with it are in the blocks before. One group a
// digit, neighbouring blocks a thread. The digits' totals follow the last block's counts.

#include "sort.hlsli"

groupshared uint sums[kDigits];

[numthreads(kDigits, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint digit = group_id(group);
    uint each = (arguments.z + kDigits - 1) / kDigits;
    uint first = thread * each;
    uint last = min(first + each, arguments.z);
    uint total = 0;
    uint block;
    [loop] for (block = first; block < last; ++block) total += counts.Load(4 * (block * kDigits + digit));
    sums[thread] = total;
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint reach = 1; reach < kDigits; reach *= 2) {
        uint below = thread >= reach ? sums[thread - reach] : 0;
        GroupMemoryBarrierWithGroupSync();
        sums[thread] += below;
        GroupMemoryBarrierWithGroupSync();
    }
    uint before = sums[thread] - total;
    [loop] for (block = first; block < last; ++block) {
        uint offset = 4 * (block * kDigits + digit);
        uint count = counts.Load(offset);
        counts.Store(offset, before);
        before += count;
    }
    if (thread == kDigits - 1) counts.Store(4 * (arguments.z * kDigits + digit), before);
}
