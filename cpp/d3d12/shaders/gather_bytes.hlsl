// table → packed items, slices of any number of bytes: a thread builds a piece of 16 bytes of the items of what lies
// anywhere in two pieces of the table, slice by slice. No mode but those that fill with zeros, or that clamp or wrap.
// arguments: x the bytes of all items, y the table's last piece. slice_units are bytes.

#include "plan.hlsli"

Buffer<uint4> table : register(t0);
RWBuffer<uint4> items : register(u0);

// The 16 bytes of the table from an offset on; those outside of the table are any.
uint4 load_bytes(int offset) {
    uint4 low = table[(uint)clamp(offset >> 4, 0, (int)arguments.y)];
    uint4 high = table[(uint)clamp((offset >> 4) + 1, 0, (int)arguments.y)];
    uint words = (uint)offset >> 2 & 3;
    if (words & 1) {
        low = uint4(low.yzw, high.x);
        high = uint4(high.yzw, 0);
    }
    if (words & 2) {
        low = uint4(low.zw, high.xy);
        high = high.zwzw;
    }
    uint bits = 8 * ((uint)offset & 3);
    if (bits != 0) low = low >> bits | uint4(low.yzw, high.x) << 32 - bits;
    return low;
}

// All bits of the bytes before the end-th of 16, a word each.
uint4 bytes_before(uint end) {
    uint4 bytes = (uint4)clamp((int)end - int4(0, 4, 8, 12), 0, 4);
    return bytes == 4 ? 0xffffffff : (1u << 8 * bytes) - 1;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (16 * id >= arguments.x || failed()) return;
    uint position = 16 * id / slice_units;
    uint within = 16 * id - position * slice_units;
    uint count = min(arguments.x - 16 * id, 16);
    uint4 piece = 0;
    uint done = 0;
    [loop] while (done < count) {
        Place place = locate(position);
        bool inside = resolve_all(place);
        uint end = min(done + (slice_units - within), count);
        uint4 found = 0;
        [branch] if (inside) found = load_bytes((int)(place.table + within) - (int)done);
        uint4 here = bytes_before(end) & ~bytes_before(done);
        piece = (piece & ~here) | (found & here);
        done = end;
        within = 0;
        ++position;
    }
    items[id] = piece;
}
