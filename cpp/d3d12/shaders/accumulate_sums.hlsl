// accumulate.hlsl's sums of what the hardware adds: integers of 4 and 8 bytes, and floats as ADDS says (atomic_adds.hpp),
// float32, or two float16 that share a word. So a target costs one atomic, not two. A target that many name at once
// takes them one after the other all the same, and where a group finds such a one, it goes on as accumulate.hlsl does.
// arguments and pattern: as there, and pattern[0]: z whether no group is to look; pattern[3]: x a thread then has 2 to the
// power of it units of a slice, as far apart as the slice has threads.

#include "shared.h"

#define GROUP kAccumulated
#include "value.hlsli"

#if ADDS == 4
typedef uint Sum;

RWBuffer<float> sums : register(u1);  // the table

// Only of numbers that are sure: all are multiples of 2^-123, and so are the sums, of which none is a denormal then.
Sum both_of(Sum a, Sum b) {
    precise float sum = asfloat(a) + asfloat(b);
    return asuint(sum);
}

Sum sum_of(Element update) { return update; }
Sum nothing() { return kSign; }
#elif ADDS == 2
#include "exchange.hlsli"
typedef float2 Sum;

RWBuffer<int> sums : register(u1);

Sum both_of(Sum a, Sum b) {
    precise float2 sum = a + b;
    return sum;
}

Sum sum_of(Element word) { return asfloat(widen_halves(uint4(word & 0xffff, word >> 16, 0, 0)).xy); }
#else
typedef Element Sum;

Sum both_of(Sum a, Sum b) { return add_wide(a, b); }

Sum sum_of(Element update) { return update; }
Sum nothing() { return 0; }
#endif

#include "lists.hlsli"
#include "walk.hlsli"

static const uint kRoundsLooked = 3;  // with lists, before a group knows whether it goes on with them

groupshared uint lasting[GROUP / 32];  // a bit for each place that is named in round after round
groupshared uint again;                // threads that name a target of such a place, or one of theirs again

#if ADDS == 4
// In the place of this exchange there is an atomic add. It may take a denormal that is there for a zero: that is less
// than what is rounded of the updates.
void add_at_once(uint offset, Sum sum) {
    float before;
    InterlockedExchange(sums[offset >> 2], asfloat(sum), before);
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

// Whether the hardware is to add it. What it would take for a zero is exchanged; and zeros change nothing.
bool is_for_hardware(uint offset, Element update) {
    bool sure = is_sure(update);
    [branch] if (!sure && magnitude_of(update) != 0) exchange(offset, update);
    return sure;
}
#else
bool is_for_hardware(uint offset, Element update) { return true; }
#endif

#if ADDS == 2
// To a half that is no target the hardware adds -0, and makes another NaN of one that is there: beside such a half the
// word is changed by comparing.
void add_at_once(uint offset, Sum sum) {
    uint word = offset & ~3u;
    bool2 others = asuint(sum) == kSign;
    uint expected = 0;
    [branch] if (any(others)) expected = table.Load(word);
    uint2 there = uint2(expected, expected >> 16) & 0x7fff;
    bool compares = any(others && there > 0x7c00);
    bool done = false;
    [allow_uav_condition] while (!done) {
        Sum both = sum;
        [branch] if (compares) both = both_of(sum_of(expected), sum);
        uint bits = 0;
        [loop] for (uint shift = 0; shift < 32; shift += 16) {
            bits |= narrow_half(asuint(shift == 0 ? both.x : both.y)) << shift;
        }
        [branch] if (compares) {
            uint mask = (others.x ? 0xffff : 0) | (others.y ? 0xffff0000 : 0);
            bits = (bits & ~mask) | (expected & mask);
            uint found;
            table.InterlockedCompareExchange(word, expected, bits, found);
            done = found == expected;
            expected = found;
        } else {
            int before;
            InterlockedExchange(sums[word >> 2], asint(bits), before);
            done = true;
        }
    }
}
#elif !ADDS
// Words of their own, and what the low one carries.
void add_at_once(uint offset, Sum sum) {
    [branch] if (arguments.z == 4) {
        table.InterlockedAdd(offset, sum.x);
    } else {
        uint low;
        table.InterlockedAdd(offset, sum.x, low);
        uint high = sum.y + (low + sum.x < low ? 1 : 0);
        [branch] if (high != 0) table.InterlockedAdd(offset + 4, high);
    }
}
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    Walk walk = walk_of(thread_id(group, thread));
    uint target = kNone;  // of what the thread has in hand
    Sum hand = 0;
#if ADDS != 2
    [branch] if (pattern[0].z != 0) {  // a loop for which less is enough is quicker
        Place place;
        bool leads = false;
        [loop] for (uint step = 0; step < walk.count << pattern[3].x; ++step) {
            uint i = step >> pattern[3].x;
            uint others = step - (i << pattern[3].x);  // of a position's units before this one
            [branch] if (others == 0) leads = find_update(walk, i, place);
            uint offset;
            Element update = 0;
            bool there = leads && load_unit(place, walk.unit + others * pattern[2].x, offset, update);
            [branch] if (there && is_for_hardware(offset, update)) {
                [branch] if (offset != target) {
                    [branch] if (target != kNone) add_at_once(target, hand);
                    hand = nothing();
                    target = offset;
                }
                hand = both_of(hand, sum_of(update));
            }
        }
        [branch] if (target != kNone) add_at_once(target, hand);
        return;
    }
#endif
    uint rounds = pattern[0].x + (pattern[0].x > 1 ? 1 : 0);  // in the last one the hands are emptied
    uint with_lists = pattern[0].z ? rounds + 1 : min(rounds, 2);  // the next round that has them
    uint looked = 0;
    bool keeps = false;
    Sum kept = 0;
    targets[thread] = kNone;
    if (thread < GROUP / 32) lasting[thread] = 0;
    [loop] for (uint round = 1; round <= rounds; ++round) {
        uint offset = kNone;
        Element element = 0;
        bool there = round <= walk.count;
        [branch] if (there) there = load_update(walk, round - 1, offset, element);
        [branch] if (there) there = is_for_hardware(offset, element);
        Sum update = sum_of(element);
        bool met = there && offset == target;
        [branch] if (met) {
            update = both_of(hand, update);
            target = kNone;
        }
        // What was in hand goes on, and what has come is in hand.
        [branch] if (rounds > 1 && (there || round == rounds)) {
            uint next = there ? offset : kNone;
            Sum value = update;
            offset = target;
            update = hand;
            target = next;
            hand = value;
            there = offset != kNone;
        }
        uint leaving = kNone;  // the target of the thread's place, if its sum goes to the table
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
            Sum sum = fold_lists(thread, keeps, kept);
            uint head = heads[thread];
            bool stays = head != kNone && head >= kSeveral && round < rounds && goes_on;
            if (keeps && stays && looked < kRoundsLooked) InterlockedOr(lasting[thread / 32], 1u << thread % 32);
            if (head != kNone) kept = sum;
            if (!stays) {
                leaving = targets[thread];
                targets[thread] = kNone;
            }
            keeps = stays;
            GroupMemoryBarrierWithGroupSync();
        }
#if ADDS == 2
        [loop] for (uint which = 0; which < 2; ++which) {
            bool of_place = which == 0;
            [branch] if (of_place ? leaving != kNone : there) {
                add_at_once(of_place ? leaving : offset, of_place ? kept : update);
            }
        }
#else
        [branch] if (leaving != kNone) add_at_once(leaving, kept);
        [branch] if (there) add_at_once(offset, update);
#endif
    }
}
