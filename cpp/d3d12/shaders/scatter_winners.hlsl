// The second pass of a scatter in which the last write wins, by target: each of four neighbouring elements of the
// table takes the item that claimed it. The others get the source's. arguments: x elements of the table, y whether that is
// the source: then pieces without a new item are left alone. (Single elements stored there took longer than a copy.)

#include "constants.hlsli"

Buffer<uint4> winners : register(t1);

#if ELEMENT == 8
Buffer<uint2> items : register(t0);
#else
Buffer<uint> items : register(t0);  // R8, R16 or R32
#endif

#if ELEMENT == 1
Buffer<uint> source : register(t2);
RWBuffer<uint> table : register(u0);
#elif ELEMENT == 2
Buffer<uint2> source : register(t2);
RWBuffer<uint2> table : register(u0);
#else
Buffer<uint4> source : register(t2);
RWBuffer<uint4> table : register(u0);
#endif

#if ELEMENT == 1 || ELEMENT == 2
static const uint kMask = (1u << 8 * ELEMENT) - 1;

// The item that won, in its place of a word; the word's own where there is none.
uint merged(uint word, uint winner, uint shift) {
    uint result = word;
    if (winner != 0) result = (word & ~(kMask << shift)) | items[winner - 1] << shift;
    return result;
}
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    uint4 won = winners[id];
    won = max(won, winners_base) - winners_base;
    uint all_of = won.x | won.y | won.z | won.w;
    if (4 * id >= arguments.x || (all_of == 0 && arguments.y) || failed()) return;
#if ELEMENT == 1
    table[id] = merged(merged(merged(merged(source[id], won.x, 0), won.y, 8), won.z, 16), won.w, 24);
#elif ELEMENT == 2
    uint2 kept = source[id];
    table[id] = uint2(merged(merged(kept.x, won.x, 0), won.y, 16), merged(merged(kept.y, won.z, 0), won.w, 16));
#elif ELEMENT == 4
    uint4 values = source[id];
    [unroll] for (uint i = 0; i < 4; ++i) {
        if (won[i] != 0) values[i] = items[won[i] - 1];
    }
    table[id] = values;
#else
    [unroll] for (uint i = 0; i < 2; ++i) {
        uint4 values = source[2 * id + i];
        if (won[2 * i] != 0) values.xy = items[won[2 * i] - 1];
        if (won[2 * i + 1] != 0) values.zw = items[won[2 * i + 1] - 1];
        table[2 * id + i] = values;
    }
#endif
}
