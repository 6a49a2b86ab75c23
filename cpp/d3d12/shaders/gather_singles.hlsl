// table → packed items, single elements of 8 bytes, or of arguments.y, four a thread, which stores them at once (an array of them
// would lie in memory); what is stored behind the last one belongs to nobody. TEXTURED: the table is in a texture, from
// where random reads of 256 KiB to 1 MiB are quicker than from a buffer.

#define HOLDS
#define PAIRS (ELEMENT == 8 && COORDINATES == 1 && INDEX > 1)
#define ITEM_BYTES arguments.y
#include "four.hlsli"
#include "four_items.hlsli"

#if TEXTURED
#include "texture.hlsli"
Texture2D<Element> table : register(t2);
Element find(uint place) { return table.Load(int3(texel_of(place), 0)); }
#else
Buffer<Element> table : register(t0);  // R8, R16, R32 or RG32
Element find(uint place) { return table[place]; }
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    bool stops = begins_failed(thread);
    Four four = locate_four(thread_id(group, thread));
    if (is_held() || stops || four.first >= arguments.x) return;
    store_four(four, find(four.place.x), find(four.place.y), find(four.place.z), find(four.place.w));
}
