// find_winners.hlsl, four positions a thread, the last ones first: any plan without a wrap, and not linear. arguments: x
// the positions, y the fours of them, z the portions of a scatter in place that looks for an order; 0: winners are found.
//
// If targets are in order of positions, the last position of each run of equal ones wins, as it sees by itself: no winners
// are needed. Groups go through portions of the fours, each of which has one in common with the next, and store the items
// of those that are in order. At one that is not they end, and note that in `winners`, where there is a 0 else: then all
// that are named are stored once more by what comes next, which has nothing to do otherwise.

#include "any.hlsli"

#define CLAIMS_TOGETHER
#include "winners.hlsli"

Buffer<uint2> items : register(t0);    // with portions: R8, R16, R32 or RG32, an element
RWBuffer<uint2> table : register(u0);  // the same

static const uint kNoTarget = 0xffffffff;

groupshared uint ends_early;  // no more portions are looked at

// first: the position of the portion's first place in `named`. next: what follows the target of its last.
void scatter_portion(uint first, uint next, uint thread, uint4 target) {
    uint4 mine, following;
    uint i;
    [unroll] for (i = 0; i < 4; ++i) named[4 * (GROUP - 1 - thread) + i] = target[i];
    GroupMemoryBarrierWithGroupSync();
    [unroll] for (i = 0; i < 4; ++i) {
        mine[i] = named[i * GROUP + thread];
        following[i] = named[(i * GROUP + thread + 1) % kPlaces];
    }
    if (thread == GROUP - 1) following.w = max(next, mine.w);
    if (any(mine > following)) InterlockedOr(ends_early, 1);
    GroupMemoryBarrierWithGroupSync();
    [branch] if (ends_early) {
        if (thread == 0) winners.Store(0, 1);
    } else {
        uint4 position = first + thread + uint4(0, 1, 2, 3) * GROUP;
        bool4 ends = mine != following && position < arguments.x;
        uint2 item[4];
        [unroll] for (i = 0; i < 4; ++i) item[i] = items[position[i]];
        [unroll] for (i = 0; i < 4; ++i) {
            if (ends[i]) table[mine[i]] = item[i];
        }
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    bool looks = arguments.z != 0;
    uint portions = looks ? arguments.z : 0xffffffff;
    if (thread == 0) ends_early = failed() ? 1 : 0;
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint number = group_id(group); number < portions && !ends_early;) {
        uint id = number * (looks ? GROUP - 1 : GROUP) + thread;
        bool there = id < arguments.y;  // no thread may leave before the others: they meet at barriers
        Four four = locate_any(4 * (arguments.y - 1 - min(id, arguments.y - 1)));
        uint4 position = four.first + uint4(0, 1, 2, 3);
        bool4 marks = there && position < arguments.x && (four.inside || mode != kModeSkip);
        [branch] if (looks) {
            // A position without a target has only such behind it, or there is no order. Before the first one all are 0.
            uint4 target = marks ? four.place : there ? kNoTarget : 0;
            uint first = 4 * (arguments.y - GROUP - number * (GROUP - 1));
            scatter_portion(first, number == 0 ? kNoTarget : 0, thread, target);
            number += kLookingGroups;
        } else {
            claim_together(thread, four.place, four.first, settled(number, thread, four.place, marks));
            number = portions;
        }
    }
}
