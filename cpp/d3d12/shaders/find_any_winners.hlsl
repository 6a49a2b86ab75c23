// find_winners.hlsl, four positions a thread, the last ones first: any plan without a wrap, and not linear. arguments: x
// the positions, y the fours of them.

#include "any.hlsli"

#include "winners.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= arguments.y || failed()) return;
    Four four = locate_any(4 * (arguments.y - 1 - id));
    uint4 position = four.first + uint4(0, 1, 2, 3);
    claim(four.place, position, position < arguments.x && (four.inside || mode != kModeSkip));
}
