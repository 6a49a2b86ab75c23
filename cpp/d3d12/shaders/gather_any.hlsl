// table → packed items, single elements of 8 bytes, or of arguments.y, four neighbouring positions a thread, any plan without a wrap.

#define HOLDS
#define TUPLES
#define ITEM_BYTES arguments.y
#include "any.hlsli"
#include "four_items.hlsli"

Buffer<Element> table : register(t0);  // R8, R16, R32 or RG32

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    bool stops = begins_failed(thread);
    Four four = locate_any(4 * thread_id(group, thread));
    if (is_held() || stops || four.first >= arguments.x) return;
    store_four(four, table[four.place.x], table[four.place.y], table[four.place.z], table[four.place.w]);
}
