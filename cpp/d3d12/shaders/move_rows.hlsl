// Slices of whole pieces of UNIT bytes, 16 or 4, in either direction: kPiecesAThread a thread, which lie GROUP apart,
// so that a group's accesses are neighbours. arguments.x: all pieces; arguments.y: in a scatter, whether winners
// says which slice is the last for each target. SIMPLE: at most one dim, one coordinate of 4 or 8 bytes, no
// wrap.

#include "plan.hlsli"
#include "line.hlsli"
#include "winners.hlsli"

#if UNIT == 16
typedef uint4 Piece;
#else
typedef uint Piece;
#endif

Buffer<Piece> from : register(t0);
RWBuffer<Piece> to : register(u0);

uint table_word(uint offset) {
#if UNIT == 16
    return from[offset / 16][offset / 4 % 4];
#else
    return from[offset / 4];
#endif
}
#include "line_end.hlsli"

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
    place.table = row * dims[0].table_stride;
    place.item = row * dims[0].item_stride;
    place.index = row * dims[0].index_stride;
    uint limit = coordinates[0].limit;
    uint2 value;
    value.x = index_word(place.index);
    value.y = index_signed ? asuint(asint(value.x) >> 31) : 0;
    if (index_bytes == 8) value.y = index_word(place.index + 4);
    uint found = value.x + (is_negative(value) ? limit : 0);
    bool inside = true;
    if (mode != kModeLinear && !is_inside(value, limit)) {
        note_outside(limit, place.index / index_bytes);
        found = clamped(value, limit);
        inside = mode != kModeSkip;
    }
    place.table += found * coordinates[0].table_stride;
    return inside;
#else
    place = locate(row);
    return resolve_all(place);
#endif
}

struct Move {
    bool happens;
    uint target;
    Piece value;
};

Move load_piece(uint piece) {
    Move move;
    move.happens = piece < arguments.x;
    move.target = 0;
    move.value = 0;
    if (move.happens) {
        uint row = piece >> slice_shift;
        [branch] if (slice_shift == 32) row = piece / slice_units;
        uint unit = piece - row * slice_units;
        Place place;
        bool inside = place_row(row, place);
        uint offset;
        inside = find_unit(place.table, unit, offset) && inside;
#if SCATTER
        if (inside && arguments.y) inside = has_won(place.table, row);
        move.happens = inside;
        move.target = offset / UNIT;
        if (inside) move.value = from[place.item / UNIT + unit];
#else
        move.target = place.item / UNIT + unit;
        if (inside) {
            move.value = from[offset / UNIT];
        } else [branch] if (mode == kModeLinear) {
            move.value = unit_behind(unit);
        } else {
            move.value = fill_piece(unit);
        }
#endif
    }
    return move;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (failed()) return;
    uint piece = kPiecesAThread * group_id(group) * GROUP + thread;
    Move one = load_piece(piece);
    Move other = load_piece(piece + GROUP);
    if (one.happens) to[one.target] = one.value;
    if (other.happens) to[other.target] = other.value;
}
