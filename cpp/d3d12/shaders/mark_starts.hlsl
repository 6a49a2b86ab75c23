// Reductions by sorting: where each target's pairs begin. A target without any is not marked: what is there leads to no
// pair of it.

#include "plan.hlsli"

RWByteAddressBuffer starts : register(u2);
RWByteAddressBuffer pairs : register(WRITTEN(WINNERS_REGISTER));

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= thread_count || failed()) return;
    uint target = pairs.Load(8 * id);
    bool is_first = target < target_count;
    [branch] if (is_first && id != 0) is_first = pairs.Load(8 * id - 8) != target;
    [branch] if (is_first) starts.Store(4 * target, id);
}
