// Sums by buckets, step 2: each update goes to its bucket's, as its offset in the table and its bits. A group first puts
// those of a round in order in its own memory, so that it stores neighbours beside each other.

#include "shared.h"

#define VALUES VALUES_INTEGERS
#define GROUP kBuckets
#include "value.hlsli"
#include "bucket_counts.hlsli"

Buffer<uint4> offsets : register(t2);
RWBuffer<uint2> moved : register(u0);

groupshared uint2 ordered[4 * GROUP];
groupshared uint sums[kBuckets];
groupshared uint begins[kBuckets];  // of the buckets in ordered
groupshared uint places[kBuckets];  // from there to where they are moved to

// The byte offsets of four elements of the updates.
uint4 items_of(uint4 element) {
    uint4 position = element;
    uint4 within = 0;
    [branch] if (slice_units != 1) {
        position /= slice_units;
        within = (element - position * slice_units) * arguments.z;
    }
    return find_items(position) + within;
}

// What the threads before have.
uint sum_before(uint own, uint thread) {
    uint sum = own;
    sums[thread] = sum;
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint reach = 1; reach < kBuckets; reach *= 2) {
        if (thread >= reach) sum += sums[thread - reach];
        GroupMemoryBarrierWithGroupSync();
        sums[thread] = sum;
        GroupMemoryBarrierWithGroupSync();
    }
    return sum - own;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (is_left_over(group)) return;
    uint block = group_id(group);
    uint count = counts.Load(count_at(thread));
    uint place = sum_before(count, thread);  // of the thread's bucket's next update
    [branch] if (block == 0) {
        counts.Store(start_at(thread), place);
        if (thread == kBuckets - 1) counts.Store(start_at(kBuckets), place + count);
    }
    place += counts.Load(before_at(block, thread));
    [loop] for (uint round = 0; round < pattern[0].x; ++round) {
        found_of[thread] = 0;
        GroupMemoryBarrierWithGroupSync();
        uint four = four_of(block, round, thread);
        uint4 offset = offsets[four];
        uint4 item = items_of(offset == kNone ? 0 : 4 * four + uint4(0, 1, 2, 3));
        uint4 bits;
        uint i;
        [unroll] for (i = 0; i < 4; ++i) bits[i] = load_element(items, item[i]);
        uint4 rank = count_four(offset);
        GroupMemoryBarrierWithGroupSync();
        uint own = found_of[thread];
        uint before = sum_before(own, thread);
        begins[thread] = before;
        places[thread] = place - before;
        place += own;
        GroupMemoryBarrierWithGroupSync();
        uint4 bucket = bucket_of(offset);
        [unroll] for (i = 0; i < 4; ++i) {
            if (offset[i] != kNone) ordered[begins[bucket[i]] + rank[i]] = uint2(offset[i], bits[i]);
        }
        GroupMemoryBarrierWithGroupSync();
        uint all = sums[kBuckets - 1];
        [loop] for (uint at = thread; at < all; at += GROUP) {
            uint2 pair = ordered[at];
            moved[places[bucket_of(pair.x).x] + at] = pair;
        }
    }
}
