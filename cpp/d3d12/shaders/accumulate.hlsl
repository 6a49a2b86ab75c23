// Reductions in any order, any plan, one element of the updates a thread in each round of a group. What meets in a
// round is combined in the group's own memory, and of targets that several name, as long as each round names them
// again: so a target that many updates name costs few exchanges. Where hardly any meet, most rounds go without.
//
// A thread goes through positions where only the index tells their targets, and first combines those that name the same
// one: portions of some that follow each other where that pays, and one of each of many threads after the other's.
//
// arguments: x to z as in value.hlsli, w the number of threads; pattern[0]: x the rounds of a group, which are a thread's
// positions, y as in exchange.hlsli; pattern[1]: x how far these are apart, and y how many of them there are on each line,
// z how many threads share those, w the units in x positions; pattern[2]: x the threads of a slice, y the positions of a
// portion, 2 to the power of w, z the threads whose portions lie side by side; pattern[3]: y the units of a slice.

#include "shared.h"

#define GROUP kAccumulated
#include "value.hlsli"
#include "exchange.hlsli"

Element both_of(Element a, Element b) { return combine_each(a, b, 0); }

typedef Element Sum;
#include "lists.hlsli"
#include "walk.hlsli"

static const uint kRoundsWithout = 7;

// For minima and maxima of integers of 32 bits the hardware does it all.
bool has_atomics() { return VALUES == VALUES_INTEGERS && arguments.z == 4 && arguments.y > kReductionMul; }

void combine_at_once(uint offset, uint update) {
    if (is_signed()) {
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

// With what the thread has in hand, or as combine_word does: so that the kernel has the arithmetic once for both.
void combine_once(uint word, uint update, bool in_hand, inout uint hand) {
    uint empty = pattern[0].y;
    uint own = in_hand ? 0 : word & 3;
    bool done = false;
    [allow_uav_condition] while (!done) {
        uint there = hand;
        [branch] if (!in_hand) table.InterlockedExchange(word & ~3u, empty, there);
        uint both = combine_each(there, update, own);
        update = empty;
        [branch] if (in_hand) {
            hand = both;
        } else {
            table.InterlockedExchange(word & ~3u, both, update);
        }
        own = 0;
        done = update == empty;
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    Walk walk = walk_of(thread_id(group, thread));
    uint target = kNone;  // of what the thread has in hand
    Element hand = 0;
    uint rounds = pattern[0].x + (pattern[0].x > 1 ? 1 : 0);  // in the last one the hands are emptied
    bool keeps = false;
    Element kept = 0;
    targets[thread] = kNone;
    uint with_lists = has_atomics() ? 0 : min(rounds, 2);  // the next round that has them
    [loop] for (uint round = 1; round <= rounds; ++round) {
        uint offset = kNone;
        Element update = 0;
        bool there = round <= walk.count;
        [branch] if (there) there = load_update(walk, round - 1, offset, update);
        bool met = there && offset == target;
        there = there && !met;
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
            [branch] if (of_place ? leaving != kNone : there || met) {
                [branch] if (has_atomics() && !met) {
                    combine_at_once(offset, update);
                } else {
                    combine_once(of_place ? leaving : offset, of_place ? kept : update, met && !of_place, hand);
                }
            }
        }
    }
}
