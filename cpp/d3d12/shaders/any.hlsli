// The places of four neighbouring positions of any dims, coordinates and indices; no wrap. The table's strides are in
// elements, and arguments.x is the number of positions. A thread divides for its first position's line;
// the others are steps along it, or along the next ones. arguments.w: whether position p's index is the p-th, of 4 or 8
// bytes. TUPLES: it may also be 4, if position p's four indices are the p-th four: then the k-th position's are read at once.

#define WRAPS 0
#include "targets.hlsli"

Buffer<uint4> index_pieces : register(t2);  // 16 bytes of the indices each; 8, if they have as many and arguments.w is 0

struct Four {
    uint first;    // position; the others follow it
    uint4 place;   // element of the table
    bool4 inside;  // else a bad index was clamped, or kModeLinear has nothing there
};

// Four indices from the first-th on.
void load_four(uint first, out uint4 low, out uint4 high) {
    low = index_pieces[index_bytes == 8 ? first / 2 : first / 4];
    high = index_signed ? asuint(asint(low) >> 31) : 0;
    if (index_bytes == 8) {
        uint4 others = index_pieces[first / 2 + 1];
        high = uint4(low.yw, others.yw);
        low = uint4(low.xz, others.xz);
    }
}

// Those of 8 bytes at the offsets.
void load_each(uint4 offset, out uint4 low, out uint4 high) {
    [unroll] for (uint i = 0; i < 4; ++i) {
        uint2 words = index_pieces[offset[i] / 8].xy;
        low[i] = words.x;
        high[i] = words.y;
    }
}

// The places without their coordinates, and the offsets of the indices.
void locate_lines(uint first, out uint4 place, out uint4 index) {
    DimConstants dim = dims[rank - 1];
    uint outer = rank > 1 ? first / dim.size : 0;
    uint4 inner = first - outer * dim.size + uint4(0, 1, 2, 3);
    Place begin = locate_outer(outer, rank - 1);
    place = begin.table + inner * dim.table_stride;
    index = begin.index + inner * dim.index_stride;
    [loop] while (rank > 1 && inner.w >= dim.size) {
        bool4 next = inner >= dim.size;
        inner -= next ? dim.size : 0;
        begin = locate_outer(++outer, rank - 1);
        place = next ? begin.table + inner * dim.table_stride : place;
        index = next ? begin.index + inner * dim.index_stride : index;
    }
}

Four locate_any(uint first) {
    Four four;
    four.first = first;
    four.inside = first + uint4(0, 1, 2, 3) < arguments.x;
    uint4 place, index;
    locate_lines(first, place, index);
    [loop] for (uint k = 0; k < coordinate_count; ++k) {
        uint4 low, high;
        uint4 offset = index + coordinates[k].index_offset;
        uint4 limit = coordinates[k].limit;
        bool4 named = four.inside;
        [branch] if (arguments.w) {
            uint number = first;
#ifdef TUPLES
            [branch] if (arguments.w > 1) {
                number = 4 * (first + k);
                offset = (number + uint4(0, 1, 2, 3)) * index_bytes;
                limit = uint4(coordinates[0].limit, coordinates[1].limit, coordinates[2].limit, coordinates[3].limit);
                named = any(four.inside && uint4(0, 1, 2, 3) == k);
            }
#endif
            load_four(number, low, high);
        } else if (index_bytes == 8) {
            load_each(offset, low, high);
        } else {
            load_indices(offset, low, high);
        }
        uint4 found = resolve_each(limit, low, high, offset, named);
#ifdef TUPLES
        [branch] if (arguments.w > 1) {
            bool4 its = uint4(0, 1, 2, 3) == k;
            uint sum = found.x * coordinates[0].table_stride + found.y * coordinates[1].table_stride;
            sum += found.z * coordinates[2].table_stride + found.w * coordinates[3].table_stride;
            place += its ? sum : 0;
            four.inside = four.inside && (all(named) || !its);
        } else
#endif
        {
            place += found * coordinates[k].table_stride;
            four.inside = named;
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
