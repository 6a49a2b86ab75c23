// Reductions in any order, any plan, one element of the updates a thread, in rounds of a group. What meets in a
// round is combined in the group's own memory, and of targets that several name, as long as each round names them
// again: so a target that many updates name costs few exchanges. Where hardly any meet, most rounds go without.
//
// arguments: x to z as in value.hlsli, w the number of elements; pattern[0]: x the rounds of a group, y as in
// exchange.hlsli.

#include "shared.h"

#if VALUES != VALUES_WIDE
#define GROUP kAccumulated
#endif
#include "value.hlsli"

// The byte offsets in the table and items of the id-th element that is moved. False if its index is skipped.
bool find_element(uint id, out uint offset, out uint item) {
    uint position = id / slice_units;
    uint within = (id - position * slice_units) * arguments.z;
    Place place = locate(position);
    bool inside = resolve_all(place);
    offset = place.table + within;
    item = place.item + within;
    return inside;
}

#if VALUES == VALUES_WIDE
// Only sums: words of their own, and what the low one carries.
[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= arguments.w || failed()) return;
    uint offset, item;
    if (!find_element(id, offset, item)) return;
    uint2 update = load_element(items, item);
    uint low;
    table.InterlockedAdd(offset, update.x, low);
    uint high = update.y + (low + update.x < low ? 1 : 0);
    if (high != 0) table.InterlockedAdd(offset + 4, high);
}
#else
static const uint kNone = 0xffffffff;
static const uint kSeveral = 0x80000000;  // in heads: of a list of more than one
static const uint kProbes = 8;
static const uint kFewMeet = GROUP / 16;
static const uint kRoundsWithout = 7;

// A thread has a place for a target, and a node for its update.
groupshared uint targets[GROUP];
groupshared uint heads[GROUP];  // of lists of the threads that have a place's target
groupshared uint nexts[GROUP];
groupshared Element updates[GROUP];
groupshared uint joined;  // threads that have found another one in their list
groupshared uint longer;  // the steps that some node of a list is to go on by

// The group's place for a target, or kNone.
uint find_place(uint target) {
    uint place = target * 2654435761u >> 24;
    uint found = kNone;
    [loop] for (uint probe = 0; probe < kProbes && found == kNone; ++probe) {
        uint there = targets[place];
        [branch] if (there == kNone) {
            InterlockedCompareExchange(targets[place], kNone, target, there);
            if (there == kNone) there = target;
        }
        if (there == target) found = place;
        place = (place + 1) % GROUP;
    }
    return found;
}

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

#if VALUES == VALUES_BYTES
void combine_in_table(uint offset, Element update) {
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
#else
#include "exchange.hlsli"
#endif

// Each list's head gets what all of the list come to: a node takes its next one's, and goes on behind it.
void fold_lists(uint thread) {
    [loop] for (uint reach = 1; longer == reach; reach *= 2) {
        uint next = nexts[thread];
        uint further = kNone;
        Element value = updates[thread];
        [branch] if (next != kNone) {
            value = trim(combine(value, updates[next]));
            further = nexts[next];
        }
        GroupMemoryBarrierWithGroupSync();
        updates[thread] = value;
        nexts[thread] = further;
        if (further != kNone) longer = 2 * reach;
        GroupMemoryBarrierWithGroupSync();
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    [branch] if (has_atomics()) {
        uint id = thread_id(group, thread);
        uint offset, item;
        [branch] if (id < arguments.w && !failed()) {
            [branch] if (find_element(id, offset, item)) combine_at_once(offset, load_element(items, item));
        }
        return;
    }
    bool fails = failed();  // no thread may leave before the others: they meet at barriers
    uint rounds = pattern[0].x;
    uint first = group_id(group) * rounds * GROUP + thread;
    bool keeps = false;
    Element kept = 0;
    targets[thread] = kNone;
    uint with_lists = 1;  // the next round that has them
    [loop] for (uint round = 1; round <= rounds; ++round) {
        uint id = first + (round - 1) * GROUP;
        bool there = id < arguments.w && !fails;
        uint offset = 0;
        uint item = 0;
        Element update = 0;
        [branch] if (there) there = find_element(id, offset, item);
        [branch] if (there) update = load_element(items, item);
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
            fold_lists(thread);
            uint head = heads[thread];
            [branch] if (head != kNone) {
                Element sum = updates[head & ~kSeveral];
                [branch] if (keeps) sum = trim(combine(kept, sum));
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
                combine_in_table(of_place ? leaving : offset, of_place ? kept : update);
            }
        }
    }
}
#endif
