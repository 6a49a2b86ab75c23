// find_winners.hlsl for single elements, four positions a thread. arguments.y: 0 if the indices are only to be checked,
// else how many fours there are: the last ones come first.

#include "four.hlsli"

#include "winners.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (failed()) return;
    uint id = thread_id(group, thread);
    if (arguments.y != 0) {
        if (id >= arguments.y) return;
        id = arguments.y - 1 - id;
    }
    Four four = locate_four(id);
    if (arguments.y == 0) return;
    [unroll] for (uint k = 0; k < 4; ++k) {
        uint i = 3 - k;
        uint target = four.place[i];
        bool marks = !is_skipped(four, i);
        if (mode == kModeLinear && target_bytes > 1) marks = find_target(four.address[i], target);
        if (is_there(four, i) && marks) claim(target, four.first + i);
    }
}
