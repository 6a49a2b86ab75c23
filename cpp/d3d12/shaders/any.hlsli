// The places of four neighbouring positions of any dims, coordinates and indices; no wrap. The table's strides are in
// elements, and arguments.x is the number of positions. A thread divides for its first position; the others are steps
// along the last dim, unless they begin another line. arguments.w: whether position p's index is the p-th, of 4 or 8
// bytes.

#include "plan.hlsli"

Buffer<uint4> index_pieces : register(t2);  // 16 bytes of the indices each

struct Four {
    uint first;    // position; the others follow it
    uint4 place;   // element of the table
    bool4 inside;  // else a bad index was clamped, or kModeLinear has nothing there
};

// Four indices from the first-th on.
void load_four(uint first, out uint2 values[4]) {
    uint4 low = index_pieces[index_bytes == 8 ? first / 2 : first / 4];
    uint4 high = index_signed ? asuint(asint(low) >> 31) : 0;
    if (index_bytes == 8) {
        uint4 others = index_pieces[first / 2 + 1];
        high = uint4(low.yw, others.yw);
        low = uint4(low.xz, others.xz);
    }
    [unroll] for (uint i = 0; i < 4; ++i) values[i] = uint2(low[i], high[i]);
}

// The places without their coordinates, and the offsets of the indices.
void locate_lines(uint first, out uint4 place, out uint4 index) {
    DimConstants dim = dims[rank - 1];
    Place one = locate(first);
    place = one.table + uint4(0, 1, 2, 3) * dim.table_stride;
    index = one.index + uint4(0, 1, 2, 3) * dim.index_stride;
    uint inner = first % dim.size;
    [loop] for (uint j = 1; j < 4; ++j) {
        [branch] if (inner + j >= dim.size) {
            Place other = locate(min(first + j, arguments.x - 1));
            bool4 here = uint4(0, 1, 2, 3) == j;
            place = here ? other.table : place;
            index = here ? other.index : index;
        }
    }
}

Four locate_any(uint first) {
    Four four;
    four.first = first;
    four.inside = true;
    uint4 place, index;
    locate_lines(first, place, index);
    [loop] for (uint k = 0; k < coordinate_count; ++k) {
        CoordinateConstants coordinate = coordinates[k];
        uint2 values[4];
        uint i;
        [branch] if (arguments.w) {
            load_four(first, values);
        } else {
            [unroll] for (i = 0; i < 4; ++i) values[i] = load_index(index[i] + coordinate.index_offset);
        }
        [unroll] for (i = 0; i < 4; ++i) {
            uint2 value = values[i];
            uint found = value.x + (is_negative(value) ? coordinate.limit : 0);
            if (mode != kModeLinear && !is_inside(value, coordinate.limit)) {
                four.inside[i] = false;
                if (four.first + i < arguments.x) {
                    note_outside(coordinate.limit, (index[i] + coordinate.index_offset) / index_bytes);
                }
                found = clamped(value, coordinate.limit);
            }
            place[i] += found * coordinate.table_stride;
        }
    }
    if (mode == kModeLinear) {
        place = min(place, line_most);
        four.inside = place < line_present;
        place = four.inside ? place : 0;
    }
    four.place = place;
    return four;
}
