// table → packed items, single elements of ELEMENT bytes, four neighbouring positions a thread, of any dims, coordinates
// and indices; no wrap. The table's strides are in elements, and arguments.x is the number of positions. A thread divides
// for its first position; the others are steps along the last dim, unless they begin another line.

#include "plan.hlsli"

struct Four {
    uint first;
    bool4 inside;
};

#include "four_items.hlsli"

Buffer<Element> table : register(t0);  // R8, R16, R32 or RG32

// The places of four positions, without their coordinates, and the offsets of their indices.
void locate_four(uint first, out uint4 place, out uint4 index) {
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

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (failed()) return;
    Four four;
    four.first = 4 * thread_id(group, thread);
    four.inside = true;
    if (four.first >= arguments.x) return;
    uint4 place, index;
    locate_four(four.first, place, index);
    [loop] for (uint k = 0; k < coordinate_count; ++k) {
        CoordinateConstants coordinate = coordinates[k];
        uint2 values[4];
        uint i;
        [unroll] for (i = 0; i < 4; ++i) values[i] = load_index(index[i] + coordinate.index_offset);
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
    store_four(four, table[place.x], table[place.y], table[place.z], table[place.w]);
}
