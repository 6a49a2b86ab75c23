// The way from a position of any plan to byte offsets in the table, the items and the indices.
//
// Offsets are 32-bit: the host refuses tensors that a view cannot hold. Indices are resolved before
// they are used, so no address leaves its tensor. Only typed views are relied upon to check bounds: behind the last
// position their kernels may read.
//
// With kModeLinear offsets in the table are addresses of elements, which may be anywhere, until find_unit.

#ifndef PLAN_HLSLI
#define PLAN_HLSLI
#include "constants.hlsli"

#if TYPED
Buffer<uint> indices : register(t1);
uint index_word(uint offset) { return indices[offset >> 2]; }
#else
RWByteAddressBuffer indices : register(u2);
uint index_word(uint offset) { return indices.Load(offset & ~3u); }
#endif

struct Place {
    uint table;
    uint item;
    uint index;
};

// Along the first dims, count of them.
Place locate_outer(uint position, uint count) {
    Place place;
    place.table = 0;
    place.item = 0;
    place.index = 0;
    uint rest = position;
    [loop] for (uint d = count; d-- > 0;) {
        DimConstants dim = dims[d];
        uint p = rest;
        if (d > 0) {  // nothing lies outside of the outermost
            rest = p / dim.size;
            p -= rest * dim.size;
        }
        place.table += p * dim.table_stride;
        place.item += p * dim.item_stride;
        place.index += p * dim.index_stride;
    }
    return place;
}

Place locate(uint position) { return locate_outer(position, rank); }

// The index at a byte offset, sign- or zero-extended to 64 bits (low, high).
uint2 load_index(uint offset) {
    uint word = index_word(offset);
    uint2 value;
    [branch] if (index_bytes == 8) {
        value = uint2(word, index_word(offset + 4));
    } else {
        uint unused = 32 - 8 * index_bytes;
        uint top = word << (unused - 8 * (offset & 3));
        value.x = index_signed ? asuint(asint(top) >> unused) : top >> unused;
        value.y = index_signed ? asuint(asint(value.x) >> 31) : 0;
    }
    return value;
}

#ifndef WRAPS
#define WRAPS 1  // 0: of a kernel for no plan that does
#endif

// The 64-bit value modulo a limit below 2^31: long division, bit by bit.
uint remainder(uint2 value, uint limit) {
    uint rest = value.y % limit;
    [loop] for (uint bit = 32; bit-- > 0;) rest = (rest << 1 | (value.x >> bit & 1)) % limit;
    return rest;
}

// The place along an axis that an index names; one out of range goes where the mode says. number is the
// index's own, for a kernel that notes bad ones.
uint resolve(uint2 value, uint limit, uint number) {
    uint place = value.x + (is_negative(value) ? limit : 0);
    if (mode != kModeLinear && !is_inside(value, limit)) {
        note_outside(limit, number);
#if WRAPS
        if (mode == kModeWrap && limit != 0) {
            bool negative = is_negative(value);
            uint2 magnitude = value;
            if (negative) magnitude = uint2(0u - value.x, ~value.y + (value.x == 0 ? 1 : 0));
            place = remainder(magnitude, limit);
            if (negative && place != 0) place = limit - place;
        } else
#endif
        {
            place = clamped(value, limit);
        }
    }
    return place;
}

// Adds the coordinates' part to place.table. False if an index is out of range and the mode skips it. A
// kernel notes bad indices only where they are packed, so that an offset tells the number.
bool resolve_all(inout Place place) {
    bool inside = true;
    [loop] for (uint k = 0; k < coordinate_count; ++k) {
        CoordinateConstants coordinate = coordinates[k];
        uint offset = place.index + coordinate.index_offset;
        uint2 value = load_index(offset);
        if (mode == kModeSkip) inside = inside && is_inside(value, coordinate.limit);
        place.table += resolve(value, coordinate.limit, offset / index_bytes) * coordinate.table_stride;
    }
    return inside;
}
#endif
