// What the groups that count and move have: four neighbouring elements of the updates for each thread in each round.
// arguments: x to z as in value.hlsli, w the number of elements; pattern[0]: x the rounds of a group.

#include "buckets.hlsli"

uint four_of(uint group, uint round, uint thread) { return (group * pattern[0].x + round) * GROUP + thread; }

groupshared uint found_of[kBuckets];  // updates, by bucket

// Counts four updates, and says which of its bucket's each is. Neighbours are often of one: they meet at its count once.
uint4 count_four(uint4 offset) {
    uint4 bucket = bucket_of(offset);
    bool4 there = offset != kNone;
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
