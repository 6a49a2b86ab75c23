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

static const uint kWordsPerUpdate = 4;  // where there are more of a bucket, a group does not keep them

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

// Where words of updates go: into the group's memory, or the table, where no other group may have to do with them.
struct Goal {
    uint first_word;
    bool is_table;
    bool is_owned;
};

// What is there; the word is left empty, but for one that is owned.
uint take(Goal goal, uint word) {
    uint there;
    [branch] if (!goal.is_table) {
        InterlockedExchange(held[word - goal.first_word], pattern[0].y, there);
    } else if (goal.is_owned) {
        there = table.Load(4 * word);
    } else {
        table.InterlockedExchange(4 * word, pattern[0].y, there);
    }
    return there;
}

// Returns what others have put there meanwhile.
uint put(Goal goal, uint word, uint both) {
    uint others = pattern[0].y;
    [branch] if (!goal.is_table) {
        InterlockedExchange(held[word - goal.first_word], both, others);
    } else if (goal.is_owned) {
        table.Store(4 * word, both);
    } else {
        table.InterlockedExchange(4 * word, both, others);
    }
    return others;
}

// Takes what the thread has of the moved updates, or of the words that the group has kept, to its goal. A word in hand
// joins the next one, if that names the same, or is put down, and then what others have left for it is; once the hand is
// empty, the next one is taken. So a thread that meets others does not hold up its neighbours, and the arithmetic is there
// once.
void go_through(Goal goal, bool updates, uint at, uint stop) {
    uint empty = pattern[0].y;
    uint2 ahead = moved[at];
    uint step = 0;  // as at is the first one's at first
    uint next = empty;
    uint next_word = goal.first_word;
    uint hand = empty;
    uint word = goal.first_word;
    bool joins = true;  // the first next one is none to take
    bool going = at < stop;
    [allow_uav_condition] while (going) {
        [branch] if (hand != empty) {
            joins = next_word == word && at < stop;
            uint other = next;
            [branch] if (!joins) other = take(goal, word);
            hand = combine_each(other, hand, 0);
            [branch] if (!joins) hand = put(goal, word, hand);
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
                    uint2 update = ahead;
                    ahead = moved[at + 1];
                    next = word_of(update.x, quieted(update.y));
                    next_word = update.x / 4;
                } else {
                    next = held[at];
                    held[at] = empty;
                    next_word = goal.first_word + at;
                }
            }
        }
        going = hand != empty || at < stop;
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint bucket_words = 1u << pattern[1].x;
    uint begin = group_id(group) * pattern[0].x;
    starts[thread] = counts.Load(start_at(thread));
    if (thread == 0) {
        starts[kBuckets] = counts.Load(start_at(kBuckets));
        first_bucket = kBuckets;
    }
    [loop] for (uint w = thread; w < bucket_words; w += GROUP) held[w] = pattern[0].y;
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
        uint each = (to - from + GROUP - 1) / GROUP;
        Goal goal;
        goal.first_word = bucket << pattern[1].x;
        goal.is_owned = !is_few && from == starts[bucket] && to == starts[bucket + 1];
        // First the updates into the group's memory, then what is there into the table.
        [loop] for (uint phase = 0; phase < 2; ++phase) {
            GroupMemoryBarrierWithGroupSync();
            goal.is_table = phase == 1;
            bool updates = !goal.is_table || is_few;
            uint at = updates ? from + thread * each : thread;
            uint stop = updates ? min(at + each, to) : min(bucket_words, pattern[0].z - goal.first_word);
            if (is_few && !goal.is_table) stop = 0;
            // One round: FXC does not see that all threads are through with a loop of theirs where barriers follow it.
            [loop] for (uint round = 0; round < pattern[1].y; ++round) go_through(goal, updates, at, stop);
        }
    }
}
