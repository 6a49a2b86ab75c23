// accumulate.hlsl's sums of float32, where the hardware adds them: so a target costs one atomic, not two. A target that
// many name at once takes them one after the other all the same, and where a group finds such a one, it goes on as
// accumulate.hlsl does. arguments and pattern: as there, and pattern[0]: z whether no group is to look.

#include "shared.h"

#define GROUP kAccumulated
#include "value.hlsli"

RWBuffer<float> sums : register(u1);  // the table

// Only of numbers that are sure: all are multiples of 2^-123, and so are the sums, of which none is a denormal then.
Element both_of(Element a, Element b) {
    precise float sum = asfloat(a) + asfloat(b);
    return asuint(sum);
}

#include "lists.hlsli"
#include "walk.hlsli"

static const uint kRoundsLooked = 3;  // with lists, before a group knows whether it goes on with them

groupshared uint lasting[GROUP / 32];  // a bit for each place that is named in round after round
groupshared uint again;                // threads that name a target of such a place, or one of theirs again

// In the place of this exchange there is an atomic add (float_adds.hpp). It may take a denormal that is there for a zero:
// that is less than what is rounded of the updates.
void add_at_once(uint word, Element sum) {
    float before;
    InterlockedExchange(sums[word >> 2], asfloat(sum), before);
}

// What is less than 2^-99, times 2^100: a number with no denormal near it.
float enlarge(uint bits) {
    uint magnitude = magnitude_of(bits);
    float normal = asfloat(magnitude + (100u << 23));
    float other = (float)magnitude * exp2(-49);
    return asfloat(asuint(magnitude < 1u << 23 ? other : normal) | (bits & kSign));
}

uint lessen(float number) {
    uint magnitude = magnitude_of(asuint(number));
    uint other = (uint)(asfloat(magnitude) * exp2(49));
    return (magnitude < 101u << 23 ? other : magnitude - (100u << 23)) | (asuint(number) & kSign);
}

// Of others, as combine_word of exchange.hlsli does.
void exchange(uint word, Element hand) {
    bool done = false;
    [allow_uav_condition] while (!done) {
        uint there;
        table.InterlockedExchange(word, kSign, there);
        precise float sum = asfloat(there) + asfloat(hand);
        uint both = asuint(sum);
        [branch] if (max(magnitude_of(there), magnitude_of(hand)) < kLeastSure) {
            precise float enlarged = enlarge(there) + enlarge(hand);
            both = lessen(enlarged);
        }
        table.InterlockedExchange(word, both, hand);
        done = hand == kSign;
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    Walk walk = walk_of(thread_id(group, thread));
    uint rounds = pattern[0].x + (pattern[0].x > 1 ? 1 : 0);  // in the last one the hands are emptied
    uint with_lists = pattern[0].z ? rounds + 1 : min(rounds, 2);  // the next round that has them
    uint looked = 0;
    uint target = kNone;  // of what the thread has in hand
    Element hand = 0;
    bool keeps = false;
    Element kept = 0;
    targets[thread] = kNone;
    if (thread < GROUP / 32) lasting[thread] = 0;
    [loop] for (uint round = 1; round <= rounds; ++round) {
        uint offset = kNone;
        Element update = 0;
        bool there = round <= walk.count;
        [branch] if (there) there = load_update(walk, round - 1, offset, update);
        [branch] if (there && !is_sure(update)) {  // zeros change nothing
            [branch] if (magnitude_of(update) != 0) exchange(offset, update);
            there = false;
        }
        bool met = there && offset == target;
        [branch] if (met) {
            update = both_of(hand, update);
            target = kNone;
        }
        // What was in hand goes on, and what has come is in hand.
        [branch] if (rounds > 1 && (there || round == rounds)) {
            uint next = there ? offset : kNone;
            Element value = update;
            offset = target;
            update = hand;
            target = next;
            hand = value;
            there = offset != kNone;
        }
        [branch] if (round == with_lists) {
            heads[thread] = kNone;
            nexts[thread] = kNone;
            updates[thread] = update;
            if (thread == 0) joined = longer = again = 0;
            GroupMemoryBarrierWithGroupSync();
            uint place = kNone;
            if (met) InterlockedAdd(joined, 1);
            if (met) InterlockedAdd(again, 1);
            [branch] if (there) place = find_place(offset);
            [branch] if (place != kNone) {
                InterlockedExchange(heads[place], thread, nexts[thread]);
                there = false;
                if (lasting[place / 32] >> place % 32 & 1) InterlockedAdd(again, 1);
                [branch] if (nexts[thread] != kNone) {
                    InterlockedAdd(joined, 1);
                    longer = 1;
                }
            }
            GroupMemoryBarrierWithGroupSync();
            ++looked;
            bool goes_on = joined >= kFewMeet && (looked < kRoundsLooked || again >= kFewMeet);
            with_lists = goes_on ? round + 1 : rounds + 1;
            if (place != kNone && nexts[thread] != kNone && heads[place] == thread) heads[place] = thread | kSeveral;
            GroupMemoryBarrierWithGroupSync();
            Element sum = fold_lists(thread, keeps, kept);
            uint head = heads[thread];
            bool stays = head != kNone && head >= kSeveral && round < rounds && goes_on;
            if (keeps && stays && looked < kRoundsLooked) InterlockedOr(lasting[thread / 32], 1u << thread % 32);
            if (head != kNone) kept = sum;
            [branch] if (!stays) {
                [branch] if (targets[thread] != kNone) add_at_once(targets[thread], kept);
                targets[thread] = kNone;
            }
            keeps = stays;
            GroupMemoryBarrierWithGroupSync();
        }
        [branch] if (there) add_at_once(offset, update);
    }
}
