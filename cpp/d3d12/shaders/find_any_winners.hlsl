// find_winners.hlsl, four positions a thread, the last ones first: any plan without a wrap, and not linear. arguments: x
// the positions, y the fours of them.

#include "any.hlsli"

#define CLAIMS_TOGETHER
#include "winners.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    bool there = id < arguments.y && !failed();  // no thread may leave before the others: they meet at barriers
    Four four = locate_any(4 * (arguments.y - 1 - min(id, arguments.y - 1)));
    uint4 position = four.first + uint4(0, 1, 2, 3);
    bool4 marks = there && position < arguments.x && (four.inside || mode != kModeSkip);
    claim_together(thread, four.place, four.first, settled(group_id(group), thread, four.place, marks));
}
