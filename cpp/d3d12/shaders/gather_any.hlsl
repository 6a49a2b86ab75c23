// table → packed items, single elements of ELEMENT bytes, four neighbouring positions a thread, any plan without a wrap.

#include "any.hlsli"
#include "four_items.hlsli"

Buffer<Element> table : register(t0);  // R8, R16, R32 or RG32

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint first = 4 * thread_id(group, thread);
    if (first >= arguments.x || failed()) return;
    Four four = locate_any(first);
    store_four(four, table[four.place.x], table[four.place.y], table[four.place.z], table[four.place.w]);
}
