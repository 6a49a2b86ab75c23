// Sums in any order whose updates are first put beside each other by ranges of the table, the buckets, of which a group
// keeps one in its own memory. counts has, a word each: how many updates a bucket has; where each begins, and the last one
// ends; and for each group of the first two steps how many of each are before its own. pattern[1]: x the lowest bit of a
// word's number that tells its bucket, y 1.

RWByteAddressBuffer counts : register(WRITTEN(WINNERS_REGISTER));

// The byte offsets in counts.
uint count_at(uint bucket) { return 4 * bucket; }
uint start_at(uint bucket) { return 4 * (kBuckets + bucket); }
uint before_at(uint group, uint bucket) { return 4 * (2 * kBuckets + 1 + group * kBuckets + bucket); }

static const uint kNone = 0xffffffff;  // no offset: the position's index is skipped, or there is none

uint4 bucket_of(uint4 offset) { return offset >> 2 + pattern[1].x; }
