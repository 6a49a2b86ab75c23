// Reductions in any order, any plan, one element of the updates a thread. What meets in a group is combined in the
// group's own memory first, so that a target that many updates name costs an exchange a group. arguments: x to z as in
// value.hlsli, w the number of elements.

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
static const uint kProbes = 8;
static const uint kPlaceBits = 11;
static const uint kPlaces = 1 << kPlaceBits;

groupshared uint targets[kPlaces];
groupshared uint heads[kPlaces];  // of lists of the other threads that have a place's target
groupshared uint nexts[GROUP];
groupshared uint updates[GROUP];

// The group's place for a target, or kNone. is_first: no other thread had it before.
uint find_place(uint target, out bool is_first) {
    uint place = target * 2654435761u >> 32 - kPlaceBits;
    uint found = kNone;
    is_first = false;
    [loop] for (uint probe = 0; probe < kProbes && found == kNone; ++probe) {
        uint there;
        InterlockedCompareExchange(targets[place], kNone, target, there);
        is_first = there == kNone;
        if (is_first || there == target) found = place;
        place = (place + 1) % kPlaces;
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

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    bool there = id < arguments.w && !failed();  // no thread may leave before the others: they meet at barriers
    uint offset = 0;
    uint update = 0;
    uint item = 0;
    [branch] if (there) there = find_element(id, offset, item);
    [branch] if (there) update = load_element(items, item);
#if VALUES == VALUES_INTEGERS
    [branch] if (there && has_atomics()) {
        combine_at_once(offset, update);
        there = false;
    }
#endif
    targets[thread] = targets[GROUP + thread] = kNone;
    heads[thread] = heads[GROUP + thread] = kNone;
    updates[thread] = update;
    GroupMemoryBarrierWithGroupSync();
    bool is_first = false;
    uint place = kNone;
    [branch] if (there) place = find_place(offset, is_first);
    [branch] if (place != kNone && !is_first) InterlockedExchange(heads[place], thread, nexts[thread]);
    GroupMemoryBarrierWithGroupSync();
    uint other = kNone;
    if (is_first) other = heads[place];
    [loop] while (other != kNone) {
        update = trim(combine(update, updates[other]));
        other = nexts[other];
    }
    uint expected = 0;
    uint shift = 8 * (offset & 3);
    uint mask = arguments.z < 4 ? (1u << 8 * arguments.z) - 1 : 0xffffffff;
    bool done = !there || !(is_first || place == kNone);
    [branch] if (!done) expected = table.Load(offset & ~3u);
    [allow_uav_condition] while (!done) {
        uint value = trim(combine(expected >> shift & mask, update));
        uint found;
        table.InterlockedCompareExchange(offset & ~3u, expected, (expected & ~(mask << shift)) | value << shift, found);
        done = found == expected;
        expected = found;
    }
}
#endif
