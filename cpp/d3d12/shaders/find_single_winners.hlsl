// find_winners.hlsl for single elements, four positions a thread. arguments.y: 0 if the indices are only to be checked,
// else how many fours there are: the last ones come first. arguments.z: the targets of a range.

#include "four.hlsli"
#include "ranges.hlsli"

#define CLAIMS_TOGETHER
#include "winners.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    Range range = find_range(group_id(group), (arguments.y + GROUP - 1) / GROUP, arguments.z);
    uint id = range.group * GROUP + thread;
    bool there = id < arguments.y && !failed();  // no thread may leave before the others: they meet at barriers
    Four four = locate_four(arguments.y == 0 ? thread_id(group, thread) : arguments.y - 1 - min(id, arguments.y - 1));
    if (arguments.y == 0) return;
    uint4 target = four.place;
    bool4 marks = false;
    [unroll] for (uint i = 0; i < 4; ++i) {
        uint found = four.place[i];
        marks[i] = there && is_there(four, i) && !is_skipped(four, i);
        [branch] if (marks[i] && mode == kModeLinear && target_bytes > 1) marks[i] = find_target(four.address[i], found);
        marks[i] = marks[i] && is_of(range, found);
        target[i] = found;
    }
    marks = settled(range.group, thread, target, marks);
    claim_together(thread, target, four.first, marks);
}
