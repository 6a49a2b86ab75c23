// find_winners.hlsl for single elements, four positions a thread. arguments.y: 0 if the indices are only to be checked.

#include "four.hlsli"

RWByteAddressBuffer winners : register(WRITTEN(WINNERS_REGISTER));

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (failed()) return;
    Four four = locate_four(thread_id(group, thread));
    if (!arguments.y) return;
    [unroll] for (uint i = 0; i < 4; ++i) {
        if (is_there(four, i) && !is_skipped(four, i)) winners.InterlockedMax(4 * four.place[i], four.first + i + 1);
    }
}
