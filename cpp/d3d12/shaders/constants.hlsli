// What every kernel shares: the constants of one dispatch, the error slots, and what an index means.

#include "shared.h"

#ifndef GROUP
#define GROUP kGroup
#endif

RWByteAddressBuffer slots : register(WRITTEN(SLOTS_REGISTER));

uint group_id(uint3 group) { return group.y * groups_x + group.x; }
// Of a kernel whose groups are counted: whether the group only fills the last row of a folded dispatch.
bool is_left_over(uint3 group) { return group_id(group) >= thread_count / kGroup; }
uint thread_id(uint3 group, uint thread) { return group_id(group) * GROUP + thread; }

// Whether this operator, or one it depends on, is known to have failed: then it writes nothing.
bool failed() {
    bool result = false;
    [branch] if (slot != kNoSlot && slot_use == kSlotSkips) result = any(slots.Load2(slot) != 0);
    return result;
}

#ifdef HOLDS
groupshared uint held;  // kSlotHolds: nobody may write

// failed(), by all threads of a group before any notes a bad index.
bool begins_failed(uint thread) {
    bool result = failed();
    [branch] if (slot_use == kSlotHolds) {
        [branch] if (thread == 0) held = slots.Load(slot + 4);
        GroupMemoryBarrierWithGroupSync();
    }
    return result;
}

// By all of them before any writes: whether none may.
bool is_held() {
    bool result = false;
    [branch] if (slot_use == kSlotHolds) {
        GroupMemoryBarrierWithGroupSync();
        result = held != 0;
    }
    return result;
}
#endif

// Keeps the first bad index. Clamp and wrap bring any into range, unless there is no place at all.
void note_outside(uint limit, uint number) {
    if (slot_use != kSlotSkips && (mode == kModeRaise || (mode != kModeSkip && limit == 0))) {
        slots.InterlockedMax(slot, ~number);
#ifdef HOLDS
        held = 1;
#endif
    }
}

bool is_negative(uint2 value) { return index_signed && asint(value.y) < 0; }

bool is_inside(uint2 value, uint limit) {
    bool negative = is_negative(value);
    uint place = value.x + (negative ? limit : 0);
    return place < limit && value.y == (negative ? 0xffffffff : 0);
}

// Where the mode has no place for an index out of range (raise, skip), it is clamped: the caller has other
// means to leave it alone.
uint clamped(uint2 value, uint limit) { return is_negative(value) ? 0 : max(limit, 1) - 1; }
