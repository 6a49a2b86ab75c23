// What every kernel shares: the constants of one dispatch, and the way from a position of the plan to
// byte offsets in the table, the items and the indices. C++ fills Constants from ../constants.hpp.
//
// Offsets are 32-bit: the host refuses tensors that a view cannot hold. Indices are resolved before
// they are used, so no address leaves its tensor; no view is relied upon to check bounds.

#define GROUP 128

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
    uint4 dims[8];          // size, table stride, item stride, index stride
    uint4 coordinates[8];   // limit, table stride, index offset
    uint4 pattern[16];      // fill
};

// An error slot, all zeros at first: the complement of the first bad index's number (position ·
// coordinate_count + coordinate; 0: none is bad), the slot of the operator that failed first + 1 (0: none
// did), and the bad index's 64 bits.
RWByteAddressBuffer slots : register(u3);

#if TYPED
Buffer<uint> indices : register(t1);
uint index_word(uint offset) { return indices[offset >> 2]; }
#else
RWByteAddressBuffer indices : register(u2);
uint index_word(uint offset) { return indices.Load(offset & ~3u); }
#endif

uint thread_id(uint3 group, uint thread) { return (group.y * groups_x + group.x) * GROUP + thread; }

// Whether this operator, or one it depends on, has failed: then it writes nothing.
bool failed() {
    bool result = false;
    if (slot != kNoSlot) result = slots.Load(slot + 4) != 0;
    return result;
}

struct Place {
    uint table;
    uint item;
    uint index;
};

Place locate(uint position) {
    Place place;
    place.table = 0;
    place.item = 0;
    place.index = 0;
    uint rest = position;
    [loop] for (uint d = rank; d-- > 0;) {
        uint4 dim = dims[d];
        uint outer = rest / dim.x;
        uint p = rest - outer * dim.x;
        rest = outer;
        place.table += p * dim.y;
        place.item += p * dim.z;
        place.index += p * dim.w;
    }
    return place;
}

// The index at a byte offset, sign- or zero-extended to 64 bits (low, high).
uint2 load_index(uint offset) {
    uint word = index_word(offset);
    uint2 value;
    if (index_bytes == 8) {
        value = uint2(word, index_word(offset + 4));
    } else {
        uint unused = 32 - 8 * index_bytes;
        uint top = word << (unused - 8 * (offset & 3));
        value.x = index_signed ? asuint(asint(top) >> unused) : top >> unused;
        value.y = index_signed ? asuint(asint(value.x) >> 31) : 0;
    }
    return value;
}

bool is_negative(uint2 value) { return index_signed && asint(value.y) < 0; }

bool is_inside(uint2 value, uint limit) {
    bool inside = value.y == 0 && value.x < limit;
    if (is_negative(value)) inside = value.y == 0xffffffff && limit != 0 && value.x >= 0u - limit;
    return inside;
}

// The 64-bit value modulo a limit below 2^31: long division, bit by bit.
uint remainder(uint2 value, uint limit) {
    uint rest = value.y % limit;
    [loop] for (uint bit = 32; bit-- > 0;) rest = (rest << 1 | (value.x >> bit & 1)) % limit;
    return rest;
}

// The place along an axis that an index names; one out of range goes where the mode says. Where the mode has no
// place for it (raise, skip), it is clamped: the caller has other means to leave it alone.
uint resolve(uint2 value, uint limit) {
    uint place = value.x + (is_negative(value) ? limit : 0);
    if (!is_inside(value, limit)) {
        if (mode == kWrap && limit != 0) {
            if (is_negative(value)) {
                uint2 magnitude = uint2(0u - value.x, ~value.y + (value.x == 0 ? 1 : 0));
                uint rest = remainder(magnitude, limit);
                place = rest == 0 ? 0 : limit - rest;
            } else {
                place = remainder(value, limit);
            }
        } else {
            place = is_negative(value) ? 0 : max(limit, 1) - 1;
        }
    }
    return place;
}

// Adds the coordinates' part to place.table. False if an index is out of range and the mode skips it.
bool resolve_all(inout Place place) {
    bool inside = true;
    [loop] for (uint k = 0; k < coordinate_count; ++k) {
        uint4 coordinate = coordinates[k];
        uint2 value = load_index(place.index + coordinate.z);
        if (mode == kSkip) inside = inside && is_inside(value, coordinate.x);
        place.table += resolve(value, coordinate.x) * coordinate.y;
    }
    return inside;
}
