// find_winners.hlsl, four positions a thread, the last ones first: any plan without a wrap, and not linear. arguments: x
// the positions, y the fours of them, z whether their items are stored at once: then targets are elements of the table.

#include "any.hlsli"

#define CLAIMS_TOGETHER
#include "winners.hlsli"

Buffer<uint4> items : register(t0);    // R8, R16, R32, RG32 or RGBA32: an element
globallycoherent RWBuffer<uint4> table : register(u0);  // the same

groupshared uint rounds;

// Stores the items of positions that are the last to name their targets so far. When they are there, the thread looks
// whether a later one has come meanwhile, whose item may have been stored before: it then stores that once more. So the
// last to store anything at a target knows the last of all: had that come after its look, it would store by itself, after
// what was there then.
void store_claimed(uint thread, uint4 target, uint4 position, bool4 marks) {
    uint4 number = winners_base + position + 1;
    uint4 item[4];
    uint i;
    [unroll] for (i = 0; i < 4; ++i) item[i] = items[position[i]];
    bool4 stores = claim(target, number, marks);
    if (thread == 0) rounds = 1;
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint round = 1; rounds == round; ++round) {
        [unroll] for (i = 0; i < 4; ++i) {
            [branch] if (stores[i]) table[target[i]] = item[i];
        }
        AllMemoryBarrierWithGroupSync();
        [unroll] for (i = 0; i < 4; ++i) {
            uint last = number[i];
            [branch] if (stores[i]) winners.InterlockedMax(4 * target[i], number[i], last);
            stores[i] = last != number[i];
            number[i] = last;
            [branch] if (stores[i]) item[i] = items[last - winners_base - 1];
        }
        if (any(stores)) rounds = round + 1;
        GroupMemoryBarrierWithGroupSync();
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    bool there = id < arguments.y && !failed();  // no thread may leave before the others: they meet at barriers
    Four four = locate_any(4 * (arguments.y - 1 - min(id, arguments.y - 1)));
    uint4 position = four.first + uint4(0, 1, 2, 3);
    bool4 marks = there && position < arguments.x && (four.inside || mode != kModeSkip);
    marks = settled(group_id(group), thread, four.place, marks);
    [branch] if (arguments.z) {
        store_claimed(thread, four.place, position, marks);
    } else {
        claim_together(thread, four.place, position, marks);
    }
}
