// Slices of whole pieces of UNIT bytes, 16 or 4, in either direction: two pieces a thread, which lie GROUP apart, so that
// a group's accesses are neighbours. arguments.x: all pieces; arguments.y: in a scatter, whether winners holds, for each
// target, the last position that names it (+ 1). SIMPLE: at most one dim, one coordinate of 4 or 8 bytes, no wrap.

#include "plan.hlsli"

#if UNIT == 16
typedef uint4 Piece;
#else
typedef uint Piece;
#endif

Buffer<Piece> from : register(t0);
RWBuffer<Piece> to : register(u0);
RWByteAddressBuffer winners : register(u4);

Piece fill_piece(uint unit) {
    uint at = unit % pattern_units;
#if UNIT == 16
    return pattern[at];
#else
    return pattern[at / 4][at % 4];
#endif
}

bool place_row(uint row, out Place place) {
#if SIMPLE
    place.table = row * dims[0].y;
    place.item = row * dims[0].z;
    place.index = row * dims[0].w;
    uint limit = coordinates[0].x;
    uint2 value;
    value.x = index_word(place.index);
    value.y = index_signed ? asuint(asint(value.x) >> 31) : 0;
    if (index_bytes == 8) value.y = index_word(place.index + 4);
    uint found = value.x + (is_negative(value) ? limit : 0);
    bool inside = true;
    if (!is_inside(value, limit)) {
        note_outside(limit, place.index / index_bytes);
        found = clamped(value, limit);
        inside = mode != kSkip;
    }
    place.table += found * coordinates[0].y;
    return inside;
#else
    place = locate(row);
    return resolve_all(place);
#endif
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (failed()) return;
    bool moves[2];
    uint source[2];
    uint target[2];
    Piece value[2];
    [unroll] for (uint i = 0; i < 2; ++i) {
        uint piece = (2 * group_id(group) + i) * GROUP + thread;
        moves[i] = piece < arguments.x;
        uint row = slice_shift < 32 ? piece >> slice_shift : piece / slice_units;
        uint unit = piece - row * slice_units;
        if (moves[i]) {
            Place place;
            bool inside = place_row(row, place);
#if SCATTER
            if (inside && arguments.y) inside = winners.Load(4 * (place.table / target_bytes)) == row + 1;
            moves[i] = inside;
            source[i] = place.item / UNIT + unit;
            target[i] = place.table / UNIT + unit;
            if (inside) value[i] = from[source[i]];
#else
            source[i] = place.table / UNIT + unit;
            target[i] = place.item / UNIT + unit;
            if (inside) {
                value[i] = from[source[i]];
            } else {
                value[i] = fill_piece(unit);
            }
#endif
        }
    }
    [unroll] for (uint j = 0; j < 2; ++j) {
        if (moves[j]) to[target[j]] = value[j];
    }
}
