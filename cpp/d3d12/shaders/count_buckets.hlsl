// Sums by buckets, step 1: how many updates each bucket has, and in which places of it a group's go.

#include "bucket_updates.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    found_of[thread] = 0;
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint round = 0; round < pattern[0].x; ++round) {
        Updates updates = find_updates(group_id(group), round, thread);
        count_four(bucket_of(updates.offset), updates.there);
    }
    GroupMemoryBarrierWithGroupSync();
    uint placed = 0;
    [branch] if (found_of[thread] != 0) counts.InterlockedAdd(4 * thread, found_of[thread], placed);
    counts.Store(kPlacedAt + 4 * (group_id(group) * kBuckets + thread), placed);
}
