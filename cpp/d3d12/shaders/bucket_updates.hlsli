// Four neighbouring elements of the updates of a sum by buckets, for each thread in each round of a group. arguments: x to
// z as in value.hlsli, w the number of elements; pattern[0]: x the rounds of a group.

#include "shared.h"

#define VALUES VALUES_INTEGERS
#define GROUP kBuckets
#include "value.hlsli"
#include "targets.hlsli"
#include "buckets.hlsli"

struct Updates {
    uint4 offset;  // in the table
    uint4 item;
    bool4 there;
};

Updates find_updates(uint group, uint round, uint thread) {
    Updates found;
    uint4 id = 4 * ((group * pattern[0].x + round) * GROUP + thread) + uint4(0, 1, 2, 3);
    found.there = id < (failed() ? 0 : arguments.w);
    uint4 position = found.there ? id : 0;
    uint4 within = 0;
    [branch] if (slice_units != 1) {
        uint4 element = position;
        position /= slice_units;
        within = (element - position * slice_units) * arguments.z;
    }
    found.offset = find_targets(position, found.there) + within;
    found.item = find_items(position) + within;
    return found;
}

groupshared uint found_of[kBuckets];  // updates, by bucket

// Counts four updates, and says which of its bucket's each is. Neighbours are often of one: they meet at its count once.
uint4 count_four(uint4 bucket, bool4 there) {
    uint4 rank = 0;
    [branch] if (all(there) && all(bucket == bucket.x)) {
        InterlockedAdd(found_of[bucket.x], 4, rank.x);
        rank = rank.x + uint4(0, 1, 2, 3);
    } else {
        [unroll] for (uint i = 0; i < 4; ++i) {
            [branch] if (there[i]) InterlockedAdd(found_of[bucket[i]], 1, rank[i]);
        }
    }
    return rank;
}
