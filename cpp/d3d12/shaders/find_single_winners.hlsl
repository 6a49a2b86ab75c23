// find_winners.hlsl for single elements, four positions a thread. arguments.y: 0 if the indices are only to be checked.

#include "four.hlsli"

#include "winners.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (failed()) return;
    Four four = locate_four(thread_id(group, thread));
    if (!arguments.y) return;
    [unroll] for (uint i = 0; i < 4; ++i) {
        uint target = four.place[i];
        bool marks = !is_skipped(four, i);
        if (mode == kModeLinear && target_bytes > 1) marks = find_target(four.address[i], target);
        if (is_there(four, i) && marks) winners.InterlockedMax(4 * target, four.first + i + 1);
    }
}
