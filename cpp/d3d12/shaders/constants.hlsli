// What every kernel shares: the constants of one dispatch, the error slots, and what an index means.

#include "shared.h"

#ifndef GROUP
#define GROUP kGroup
#endif

RWByteAddressBuffer slots : register(WRITTEN(SLOTS_REGISTER));

uint group_id(uint3 group) { return group.y * groups_x + group.x; }
uint thread_id(uint3 group, uint thread) { return group_id(group) * GROUP + thread; }

// Whether this operator, or one it depends on, is known to have failed: then it writes nothing.
bool failed() {
    bool result = false;
    [branch] if (slot != kNoSlot && !notes) result = any(slots.Load2(slot) != 0);
    return result;
}

// Keeps the first bad index. Clamp and wrap bring any into range, unless there is no place at all.
void note_outside(uint limit, uint number) {
    if (notes && (mode == kModeRaise || (mode != kModeSkip && limit == 0))) slots.InterlockedMax(slot, ~number);
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
