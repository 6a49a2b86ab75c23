// list_updates.hlsl for single elements, four positions a thread. arguments.y: whether items are packed words, which the
// nodes then hold, too.

#include "four.hlsli"

Buffer<uint4> items : register(t0);
RWBuffer<uint4> nodes : register(u0);
RWByteAddressBuffer heads : register(WRITTEN(WINNERS_REGISTER));

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id == 0) slots.Store(arguments.w, 1);
    if (failed()) return;
    Four four = locate_four(id);
    if (four.first >= arguments.x) return;
    uint4 values = 0;
    if (arguments.y) values = items[four.first / 4];
    uint4 next = 0;
    [unroll] for (uint i = 0; i < 4; ++i) {
        if (is_there(four, i) && !is_skipped(four, i)) {
            heads.InterlockedExchange(4 * four.place[i], four.first + i + 1, next[i]);
        }
    }
    nodes[four.first / 2] = uint4(next.x, values.x, next.y, values.y);
    nodes[four.first / 2 + 1] = uint4(next.z, values.z, next.w, values.w);
}
