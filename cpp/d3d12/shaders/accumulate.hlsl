// Reductions in any order, any plan, one element of the updates a thread in each round of a group. What meets in a
// round is combined in the group's own memory, and of targets that several name, as long as each round names them
// again: so a target that many updates name costs few exchanges. Where hardly any meet, most rounds go without.
//
// A thread goes through positions where only the index tells their targets, and first combines those that name the same
// one: portions of some that follow each other where that pays, and one of each of many threads after the other's.
//
// arguments: x to z as in value.hlsli, w the number of threads; pattern[0]: x the rounds of a group, which are a thread's
// positions, y as in exchange.hlsli; pattern[1]: x how far these are apart, and y how many of them there are on each line,
// z how many threads share those, w the units in x positions; pattern[2]: x the units of a slice, y the positions of a
// portion, 2 to the power of w, z the threads whose portions lie side by side.

#include "shared.h"

#if VALUES != VALUES_WIDE
#define GROUP kAccumulated
#endif
#include "value.hlsli"

#if VALUES == VALUES_BYTES
void combine_word(uint offset, Element update) {
    uint word = offset & ~3u;
    uint shift = 8 * (offset & 3);
    uint expected = table.Load(word);
    bool done = false;
    [allow_uav_condition] while (!done) {
        uint both = (expected & ~(0xffu << shift)) | combine(expected >> shift & 0xff, update) << shift;
        uint found;
        table.InterlockedCompareExchange(word, expected, both, found);
        done = found == expected;
        expected = found;
    }
}

Element both_of(Element a, Element b) { return combine(a, b); }
#elif VALUES != VALUES_WIDE
#include "exchange.hlsli"

Element both_of(Element a, Element b) { return combine_each(a, b, 0); }
#endif

#include "walk.hlsli"

#if VALUES == VALUES_WIDE
// Only sums: words of their own, and what the low one carries.
void add_at_once(uint offset, uint2 sum) {
    uint low;
    table.InterlockedAdd(offset, sum.x, low);
    uint high = sum.y + (low + sum.x < low ? 1 : 0);
    if (high != 0) table.InterlockedAdd(offset + 4, high);
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    Walk walk = walk_of(thread_id(group, thread));
    uint target = 0;
    uint2 sum = 0;
    [loop] for (uint i = 0; i < walk.count; ++i) {
        uint offset;
        uint2 update;
        [branch] if (load_update(walk, i, offset, update)) {
            [branch] if (offset != target) {
                [branch] if (any(sum != 0)) add_at_once(target, sum);
                sum = 0;
                target = offset;
            }
            sum = add_wide(sum, update);
        }
    }
    [branch] if (any(sum != 0)) add_at_once(target, sum);
}
#else
#include "lists.hlsli"

static const uint kRoundsWithout = 7;

// For integers of 32 bits the hardware does it all.
bool has_atomics() {
    return VALUES == VALUES_INTEGERS && arguments.x != kValueBool && arguments.z == 4 && arguments.y != kReductionMul;
}

void combine_at_once(uint offset, uint update) {
    if (arguments.y == kReductionAdd) {
        table.InterlockedAdd(offset, update);
    } else if (is_signed()) {
        if (arguments.y == kReductionMin) {
            table.InterlockedMin(offset, asint(update));
        } else {
            table.InterlockedMax(offset, asint(update));
        }
    } else if (arguments.y == kReductionMin) {
        table.InterlockedMin(offset, update);
    } else {
        table.InterlockedMax(offset, update);
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    Walk walk = walk_of(thread_id(group, thread));
    uint target = kNone;  // of what the thread has in hand
    Element hand = 0;
    [branch] if (has_atomics()) {
        [loop] for (uint i = 0; i < walk.count; ++i) {
            uint offset;
            Element update;
            [branch] if (load_update(walk, i, offset, update)) {
                [branch] if (offset == target) {
                    update = combine(hand, update);
                } else [branch] if (target != kNone) {
                    combine_at_once(target, hand);
                }
                hand = update;
                target = offset;
            }
        }
        [branch] if (target != kNone) combine_at_once(target, hand);
        return;
    }
    uint rounds = pattern[0].x + (pattern[0].x > 1 ? 1 : 0);  // in the last one the hands are emptied
    bool keeps = false;
    Element kept = 0;
    targets[thread] = kNone;
    uint with_lists = min(rounds, 2);  // the next round that has them
    [loop] for (uint round = 1; round <= rounds; ++round) {
        uint offset = kNone;
        Element update = 0;
        bool there = round <= walk.count;
        [branch] if (there) there = load_update(walk, round - 1, offset, update);
        [branch] if (there && offset == target) {
            update = both_of(hand, update);
            target = kNone;
        }
        // What was in hand goes on, and what has come is in hand.
        [branch] if (rounds > 1 && (there || round == rounds)) {
            uint next = offset;
            Element value = update;
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
            if (thread == 0) joined = longer = 0;
            GroupMemoryBarrierWithGroupSync();
            uint place = kNone;
            [branch] if (there) place = find_place(offset);
            [branch] if (place != kNone) {
                InterlockedExchange(heads[place], thread, nexts[thread]);
                there = false;
                [branch] if (nexts[thread] != kNone) {
                    InterlockedAdd(joined, 1);
                    longer = 1;
                }
            }
            GroupMemoryBarrierWithGroupSync();
            with_lists = joined < kFewMeet ? min(round + 1 + kRoundsWithout, rounds) : round + 1;
            if (place != kNone && nexts[thread] != kNone && heads[place] == thread) heads[place] = thread | kSeveral;
            GroupMemoryBarrierWithGroupSync();
            Element sum = fold_lists(thread, keeps, kept);
            uint head = heads[thread];
            [branch] if (head != kNone) {
                kept = sum;
                keeps = true;
            }
            bool stays = head != kNone && head >= kSeveral && round < rounds;
            if (!stays) {
                leaving = targets[thread];
                targets[thread] = kNone;
                keeps = false;
            }
            GroupMemoryBarrierWithGroupSync();
        }
        [loop] for (uint i = 0; i < 2; ++i) {
            bool of_place = i == 0;
            [branch] if (of_place ? leaving != kNone : there) {
                combine_word(of_place ? leaving : offset, of_place ? kept : update);
            }
        }
    }
}
#endif
