// Packed items → table, single words, four a thread. arguments.y: whether winners says which position is the last that
// names each word of the table; the others then keep out.

#include "four.hlsli"

Buffer<uint4> items : register(t0);
RWBuffer<uint> table : register(u0);
RWByteAddressBuffer winners : register(WRITTEN(WINNERS_REGISTER));

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (failed()) return;
    Four four = locate_four(thread_id(group, thread));
    if (four.first >= arguments.x) return;
    uint4 values = items[four.first / 4];
    [unroll] for (uint i = 0; i < 4; ++i) {
        bool writes = is_there(four, i) && !is_skipped(four, i);
        if (writes && arguments.y) writes = winners.Load(4 * four.place[i]) == winners_base + four.first + i + 1;
        if (writes) table[four.place[i]] = values[i];
    }
}
