// table → packed items, single elements of ELEMENT bytes, four a thread, which stores them at once (an array of them
// would lie in memory); what is stored behind the last one belongs to nobody.

#include "four.hlsli"

#if ELEMENT == 8
typedef uint2 Element;
#else
typedef uint Element;
#endif

Buffer<Element> table : register(t0);  // R8, R16, R32 or RG32
#if ELEMENT == 1
RWBuffer<uint> items : register(u0);
#elif ELEMENT == 2
RWBuffer<uint2> items : register(u0);
#else
RWBuffer<uint4> items : register(u0);
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (failed()) return;
    Four four = locate_four(thread_id(group, thread));
    if (four.first >= arguments.x) return;
    Element a = table[four.place.x];
    Element b = table[four.place.y];
    Element c = table[four.place.z];
    Element d = table[four.place.w];
    if (mode == kSkip) {
        Element filler = (Element)pattern[0];
        a = four.inside.x ? a : filler;
        b = four.inside.y ? b : filler;
        c = four.inside.z ? c : filler;
        d = four.inside.w ? d : filler;
    }
    uint texel = four.first / 4;
#if ELEMENT == 1
    items[texel] = a | b << 8 | c << 16 | d << 24;
#elif ELEMENT == 2
    items[texel] = uint2(a | b << 16, c | d << 16);
#elif ELEMENT == 4
    items[texel] = uint4(a, b, c, d);
#else
    items[2 * texel] = uint4(a, b);
    items[2 * texel + 1] = uint4(c, d);
#endif
}
