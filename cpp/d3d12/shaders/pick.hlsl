// table → packed items, single elements of ELEMENT bytes, four a thread, which stores them at once; what is stored behind
// the last one belongs to nobody. SHARED: a group first copies the table (arguments.y words) into its own memory, and
// then a thread goes through arguments.z blocks of the group.

#if SHARED
#define GROUP 512
#endif
#include "four.hlsli"

#if ELEMENT == 8
typedef uint2 Element;
#else
typedef uint Element;
#endif

#if SHARED
#define TABLE_WORDS 8192
Buffer<uint> table_words : register(t0);
groupshared uint table[TABLE_WORDS];
Element load_table(uint place) {
#if ELEMENT == 8
    return uint2(table[2 * place], table[2 * place + 1]);
#else
    uint offset = place * ELEMENT;
    uint word = table[offset / 4];
    return ELEMENT == 4 ? word : word >> 8 * (offset % 4) & ((1u << 8 * (ELEMENT % 4)) - 1);
#endif
}
#else
Buffer<Element> table : register(t0);  // R8, R16, R32 or RG32
Element load_table(uint place) { return table[place]; }
#endif

#if ELEMENT == 1
RWBuffer<uint> items : register(u0);
#elif ELEMENT == 2
RWBuffer<uint2> items : register(u0);
#else
RWBuffer<uint4> items : register(u0);
#endif

void pick(uint id) {
    Four four = locate_four(id);
    if (four.first >= arguments.x) return;
    Element picked[4];
    [unroll] for (uint i = 0; i < 4; ++i) picked[i] = load_table(four.place[i]);
    if (mode == kSkip) {
        [unroll] for (uint j = 0; j < 4; ++j) {
#if ELEMENT == 8
            if (is_skipped(four, j)) picked[j] = pattern[0].xy;
#else
            if (is_skipped(four, j)) picked[j] = pattern[0].x;
#endif
        }
    }
    uint texel = four.first / 4;
#if ELEMENT == 1
    items[texel] = picked[0] | picked[1] << 8 | picked[2] << 16 | picked[3] << 24;
#elif ELEMENT == 2
    items[texel] = uint2(picked[0] | picked[1] << 16, picked[2] | picked[3] << 16);
#elif ELEMENT == 4
    items[texel] = uint4(picked[0], picked[1], picked[2], picked[3]);
#else
    items[2 * texel] = uint4(picked[0], picked[1]);
    items[2 * texel + 1] = uint4(picked[2], picked[3]);
#endif
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    bool skipped = failed();
#if SHARED
    [loop] for (uint w = thread; w < arguments.y; w += GROUP) table[w] = table_words[w];
    GroupMemoryBarrierWithGroupSync();
    uint block = group_id(group) * arguments.z;
    [loop] for (uint last = block + arguments.z; !skipped && block < last; ++block) {
        pick(block * GROUP + thread);
    }
#else
    if (!skipped) pick(thread_id(group, thread));
#endif
}
