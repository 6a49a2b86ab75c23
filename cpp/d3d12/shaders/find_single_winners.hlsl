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
    uint4 target = four.place;
    bool4 marks = false;
    [unroll] for (uint i = 0; i < 4; ++i) {
        uint found = four.place[i];
        marks[i] = !is_skipped(four, i);
        if (mode == kModeLinear && target_bytes > 1) marks[i] = find_target(four.address[i], found);
        marks[i] = marks[i] && is_there(four, i);
        target[i] = found;
    }
    claim(target, four.first + uint4(0, 1, 2, 3), marks);
}
