// Sums by buckets, step 1: the offset in the table of each update, how many each bucket has, and which of them are of a
// group.

#include "shared.h"

#define GROUP kBuckets
#define WRAPS 0
#include "targets.hlsli"
#include "bucket_counts.hlsli"

RWBuffer<uint4> offsets : register(u0);

uint4 find_offsets(uint4 id) {
    bool4 there = id < (failed() ? 0 : arguments.w);
    uint4 position = there ? id : 0;
    uint4 within = 0;
    [branch] if (slice_units != 1) {
        uint4 element = position;
        position /= slice_units;
        within = (element - position * slice_units) * arguments.z;
    }
    uint4 target = find_targets(position, there);
    return there ? target + within : kNone;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (is_left_over(group)) return;
    found_of[thread] = 0;
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint round = 0; round < pattern[0].x; ++round) {
        uint four = four_of(group_id(group), round, thread);
        uint4 offset = find_offsets(4 * four + uint4(0, 1, 2, 3));
        offsets[four] = offset;
        count_four(offset);
    }
    GroupMemoryBarrierWithGroupSync();
    uint placed = 0;
    [branch] if (found_of[thread] != 0) counts.InterlockedAdd(count_at(thread), found_of[thread], placed);
    counts.Store(before_at(group_id(group), thread), placed);
}
