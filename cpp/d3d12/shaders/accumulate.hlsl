// Reductions in any order, any plan, one element of the updates a thread, in rounds of a group. What meets in a
// round is combined in the group's own memory, and of targets that several name, as long as each round names them
// again: so a target that many updates name costs few exchanges. Where hardly any meet, most rounds go without.
//
// Groups that exchange with one target do so in turn. So there may be two passes: of the targets that several name, each
// group of the first leaves some of its last round in a list, which the second goes through.
//
// arguments: x to z as in value.hlsli, w the number of elements, or entries of the list; pattern[0]: x the rounds of a
// group, y the groups of the first pass, if the list has room for theirs, or 0, z whether this is the second.

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

// [entry][group of the first pass]: a target, or kNone, and what its updates come to.
RWByteAddressBuffer list : register(WRITTEN(WINNERS_REGISTER));

// A thread has a place for a target, and a node for its update.
groupshared uint targets[GROUP];
groupshared uint heads[GROUP];  // of lists of the threads that have a place's target
groupshared uint nexts[GROUP];
groupshared Element updates[GROUP];
groupshared uint listed[kListed];  // targets that have an entry
groupshared uint joined;           // threads that have found another one in their list

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

void combine_in_table(uint offset, Element update) {
    uint shift = 8 * (offset & 3);
    uint mask = arguments.z < 4 ? (1u << 8 * arguments.z) - 1 : 0xffffffff;
    uint expected = table.Load(offset & ~3u);
    bool done = false;
    [allow_uav_condition] while (!done) {
        uint value = trim(combine(expected >> shift & mask, update));
        uint found;
        table.InterlockedCompareExchange(offset & ~3u, expected, (expected & ~(mask << shift)) | value << shift, found);
        done = found == expected;
        expected = found;
    }
}

// Each list's head gets what all of the list come to: a node takes its next one's, and goes on behind it.
void fold_lists(uint thread, uint longest) {
    [loop] for (uint reach = 1; reach < longest; reach *= 2) {
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
        GroupMemoryBarrierWithGroupSync();
    }
}

// Leaves a sum in the list, where the place's entry is free.
bool leave(uint place, uint number, uint target, uint sum) {
    uint entry = place % kListed;
    uint other;
    InterlockedCompareExchange(listed[entry], kNone, target, other);
    [branch] if (other == kNone) list.Store2(8 * (entry * pattern[0].y + number), uint2(target, sum));
    return other == kNone;
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
    uint number = group_id(group);
    uint first = number * rounds * GROUP + thread;
    bool lists = pattern[0].z == 0 && number < pattern[0].y;
    uint round_without = 0;  // the last of those without lists
    bool keeps = false;
    Element kept = 0;
    targets[thread] = kNone;
    if (thread < kListed) listed[thread] = kNone;
    [loop] for (uint round = 1; round <= rounds; ++round) {
        uint id = first + (round - 1) * GROUP;
        bool there = id < arguments.w && !fails;
        uint offset = 0;
        uint item = 0;
        Element update = 0;
        [branch] if (pattern[0].z != 0) {
            uint2 entry = kNone;
            [branch] if (there) entry = list.Load2(8 * id);
            offset = entry.x;
            update = entry.y;
            there = offset != kNone;
        } else {
            [branch] if (there) there = find_element(id, offset, item);
            [branch] if (there) update = load_element(items, item);
        }
        heads[thread] = kNone;
        nexts[thread] = kNone;
        updates[thread] = update;
        if (thread == 0) joined = 0;
        GroupMemoryBarrierWithGroupSync();
        bool looks = round > round_without;
        uint place = kNone;
        [branch] if (there && looks) place = find_place(offset);
        [branch] if (place != kNone) {
            InterlockedExchange(heads[place], thread, nexts[thread]);
            there = false;
            if (nexts[thread] != kNone) InterlockedAdd(joined, 1);
        }
        GroupMemoryBarrierWithGroupSync();
        uint met = joined;
        if (place != kNone && nexts[thread] != kNone && heads[place] == thread) heads[place] = thread | kSeveral;
        GroupMemoryBarrierWithGroupSync();
        fold_lists(thread, met + 1);
        uint leaving = kNone;  // the target of the thread's place, if its sum goes to the table
        [branch] if (looks) {
            uint head = heads[thread];
            bool is_long = keeps || (head != kNone && head >= kSeveral);
            [branch] if (head != kNone) {
                Element sum = updates[head & ~kSeveral];
                [branch] if (keeps) sum = trim(combine(kept, sum));
                kept = sum;
                keeps = true;
            }
            bool stays = head != kNone && head >= kSeveral && round < rounds;
            if (!stays) {
                leaving = targets[thread];
                [branch] if (lists && is_long && round == rounds) {
                    if (leave(thread, number, leaving, kept)) leaving = kNone;
                }
                targets[thread] = kNone;
                keeps = false;
            }
            if (met < kFewMeet) round_without = min(round + kRoundsWithout, rounds - 1);
        }
        GroupMemoryBarrierWithGroupSync();
        [loop] for (uint i = 0; i < 2; ++i) {
            bool of_place = i == 0;
            [branch] if (of_place ? leaving != kNone : there) {
                combine_in_table(of_place ? leaving : offset, of_place ? kept : update);
            }
        }
    }
    [branch] if (lists && thread < kListed) {
        [branch] if (listed[thread] == kNone) list.Store2(8 * (thread * pattern[0].y + number), uint2(kNone, 0));
    }
}
#endif
