// Sums by buckets, step 3: each group takes a part of the moved updates, bucket by bucket, and keeps the bucket's words in
// its own memory until it is through; then it combines them with the table. A thread goes through neighbouring updates, and
// keeps a word in hand as long as they name it. arguments: x to z as in value.hlsli; pattern[0]: x the updates of a group,
// y as in exchange.hlsli, z the words of the table. (A signalling NaN of the table stays one where it meets nothing but
// updates that change no number: a group does not know of those.)

#include "shared.h"

#define GROUP kBuckets
#include "value.hlsli"
#include "exchange.hlsli"
#include "buckets.hlsli"

Buffer<uint2> moved : register(t0);  // offset and bits

groupshared uint held[kBucketWords];
groupshared uint starts[kBuckets + 1];
groupshared uint first_bucket;

static const uint kWordsPerUpdate = 4;  // of fewer, a group does not keep the words

// A NaN becomes a quiet one, as it does where it is combined.
uint quieted(uint update) {
    uint bit = arguments.x == kValueFloat16 ? 0x0200 : arguments.x == kValueBfloat16 ? 0x0040 : kQuiet;
    return is_nan(widen(update).x) ? update | bit : update;
}

// Whether a part of the updates has few of the bucket, or none.
bool has_few(uint bucket, uint begin, uint end) {
    uint from = max(begin, starts[bucket]);
    uint to = min(end, starts[bucket + 1]);
    return to < from + ((1u << pattern[1].x) / kWordsPerUpdate);
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint empty = pattern[0].y;
    uint bucket_words = 1u << pattern[1].x;
    uint begin = group_id(group) * pattern[0].x;
    starts[thread] = counts.Load(kStartsAt + 4 * thread);
    if (thread == 0) {
        starts[kBuckets] = counts.Load(kStartsAt + 4 * kBuckets);
        first_bucket = kBuckets;
    }
    [loop] for (uint w = thread; w < bucket_words; w += GROUP) held[w] = empty;
    GroupMemoryBarrierWithGroupSync();
    if (starts[thread] <= begin && begin < starts[thread + 1]) first_bucket = thread;
    GroupMemoryBarrierWithGroupSync();
    uint end = min(begin + pattern[0].x, starts[kBuckets]);
    uint next_bucket;
    [loop] for (uint bucket = first_bucket; starts[bucket] < end; bucket = next_bucket) {
        // What names few words goes to the table at once, whatever its buckets.
        bool is_few = has_few(bucket, begin, end);
        next_bucket = bucket + 1;
        [loop] while (is_few && starts[next_bucket] < end && has_few(next_bucket, begin, end)) ++next_bucket;
        uint from = max(begin, starts[bucket]);
        uint to = min(end, starts[next_bucket]);
        bool owned = !is_few && from == starts[bucket] && to == starts[bucket + 1];  // no other group combines its words
        uint first_word = bucket << pattern[1].x;
        uint each = (to - from + GROUP - 1) / GROUP;
        // First the updates into the group's memory, then what is there into the table.
        [loop] for (uint phase = 0; phase < 2; ++phase) {
            GroupMemoryBarrierWithGroupSync();
            bool into_table = phase == 1;
            bool updates = !into_table || is_few;
            uint at = updates ? from + thread * each : thread;
            uint stop = updates ? min(at + each, to) : min(bucket_words, pattern[0].z - first_word);
            if (is_few && !into_table) stop = 0;
            uint2 ahead = moved[at];
            uint step = 0;
            uint next = empty;
            uint next_word = first_word;
            uint hand = empty;
            uint word = first_word;
            bool joins = true;
            bool going = at < stop;
            // One round: FXC does not see that all threads are through with a loop of theirs where barriers follow it.
            [loop] for (uint round = 0; round < pattern[1].y; ++round) {
                [allow_uav_condition] while (going) {
                    // In hand is one that joins the next, or goes to its place and gets what others have put there meanwhile.
                    [branch] if (hand != empty) {
                        joins = next_word == word && at < stop;
                        uint other = next;
                        [branch] if (!joins) {
                            [branch] if (!into_table) {
                                InterlockedExchange(held[word - first_word], empty, other);
                            } else if (owned) {
                                other = table.Load(4 * word);
                            } else {
                                table.InterlockedExchange(4 * word, empty, other);
                            }
                        }
                        hand = combine_each(other, hand, kNoElement);
                        [branch] if (!joins) {
                            uint both = hand;
                            [branch] if (!into_table) {
                                InterlockedExchange(held[word - first_word], both, hand);
                            } else if (owned) {
                                table.Store(4 * word, both);
                                hand = empty;
                            } else {
                                table.InterlockedExchange(4 * word, both, hand);
                            }
                        }
                    }
                    [branch] if (joins || hand == empty) {
                        if (!joins) {
                            hand = next;
                            word = next_word;
                        }
                        joins = false;
                        at += step;
                        step = updates ? 1 : GROUP;
                        next = empty;
                        [branch] if (at < stop) {
                            [branch] if (updates) {
                                uint2 pair = ahead;
                                ahead = moved[at + 1];
                                next = word_of(pair.x, quieted(pair.y));
                                next_word = pair.x / 4;
                            } else {
                                next = held[at];
                                held[at] = empty;
                                next_word = first_word + at;
                            }
                        }
                    }
                    going = hand != empty || at < stop;
                }
            }
        }
    }
}
