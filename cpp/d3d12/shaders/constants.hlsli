// What every kernel shares: the constants of one dispatch, the error slots, and what an index means.
// C++ fills Constants from ../constants.hpp.

#ifndef GROUP
#define GROUP 128
#endif

static const uint kRaise = 0;
static const uint kClamp = 1;
static const uint kWrap = 2;
static const uint kSkip = 3;
static const uint kNoSlot = 0xffffffff;

cbuffer Constants : register(b0) {
    uint thread_count;      // threads past it do nothing
    uint groups_x;          // a dispatch of many groups is folded into rows of this many
    uint slot;              // byte offset of the operator's error slot, or kNoSlot
    uint mode;
    uint index_bytes;       // 1, 2, 4 or 8
    uint index_signed;
    uint rank;
    uint coordinate_count;
    uint slice_units;       // units of UNIT bytes in a slice
    uint pattern_units;     // period of the fill pattern
    uint target_bytes;      // every slice of the table begins at a multiple of this
    uint target_count;
    uint4 arguments;        // what they are, the kernel says
    uint notes;             // whether a bad index goes to the slot; if not, the slot says what to skip
    uint slice_shift;       // slice_units is 2 to the power of it; 32: it is no power of two
    uint stripe_lines;      // four.hlsli
    uint index_repeats;     // four.hlsli
    uint4 dims[8];          // size, table stride, item stride, index stride
    uint4 coordinates[8];   // limit, table stride, index offset
    uint4 pattern[16];      // fill
};

// An error slot, all zeros at first: the complement of the first bad index's number (position ·
// coordinate_count + coordinate; 0: none is bad), whether an operator has failed whose result this one uses, and the
// bad index's 64 bits.
RWByteAddressBuffer slots : register(u3);

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
    if (notes && (mode == kRaise || (mode != kSkip && limit == 0))) slots.InterlockedMax(slot, ~number);
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
