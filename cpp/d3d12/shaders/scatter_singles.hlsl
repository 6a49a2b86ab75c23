// Packed items → table, single elements, four a thread. arguments: y whether winners says which position is the last that
// names each element of the table (the others then keep out), z the bytes of an element, 1, 2, 4 or 8.

#include "four.hlsli"

Buffer<uint4> items : register(t0);    // R32, RG32 or RGBA32: four elements, or two of 8 bytes
RWBuffer<uint2> table : register(u0);  // R8, R16, R32 or RG32: an element
RWByteAddressBuffer winners : register(WRITTEN(WINNERS_REGISTER));

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (failed()) return;
    Four four = locate_four(thread_id(group, thread));
    if (four.first >= arguments.x) return;
    uint4 low = items[arguments.z == 8 ? four.first / 2 : four.first / 4];
    uint4 high = 0;
    if (arguments.z == 8) {
        uint4 others = items[four.first / 2 + 1];
        high = uint4(low.yw, others.yw);
        low = uint4(low.xz, others.xz);
    } else if (arguments.z == 2) {
        low = uint4(low.x & 0xffff, low.x >> 16, low.y & 0xffff, low.y >> 16);
    } else if (arguments.z == 1) {
        low = low.x >> uint4(0, 8, 16, 24) & 0xff;
    }
    uint4 won = 0;
    uint i;
    [branch] if (arguments.y) {
        [unroll] for (i = 0; i < 4; ++i) won[i] = winners.Load(4 * four.place[i]);
        won -= winners_base + four.first;
    }
    [unroll] for (i = 0; i < 4; ++i) {
        bool writes = is_there(four, i) && !is_skipped(four, i);
        if (writes && (!arguments.y || won[i] == i + 1)) table[four.place[i]] = uint2(low[i], high[i]);
    }
}
