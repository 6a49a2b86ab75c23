// find_winners.hlsl, four positions a thread, the last ones first: any plan without a wrap, and not linear. arguments: x
// the positions, y the fours of them, z the portions of a scatter in place that looks for an order; 0: winners are found.
//
// If targets are in order of positions, the last position of each run of equal ones wins, as it sees by itself: no winners
// are needed. Groups go through portions of the fours, each of which has one in common with the next, and store the items
// of those that are in order. At one that is not they end, and note that in `winners`, where there is a 0 else: then all
// that are named are stored once more by what comes next, which has nothing to do otherwise.
//
// pattern[1].x: whether no two positions share a target: then items are stored at once, threads beside each other those of
// positions beside each other. pattern[1].y: the targets of a range, 0: all are one; z: the parts that a group of a later
// range has, at most 32. As in find_single_winners.hlsl a group whose targets are neighbours stores those of all ranges.

#include "any.hlsli"
#include "ranges.hlsli"

#define CLAIMS_TOGETHER
#include "winners.hlsli"

Buffer<uint2> items : register(t0);    // with portions: R8, R16, R32 or RG32, an element
RWBuffer<uint2> table : register(u0);  // the same

static const uint kNoTarget = 0xffffffff;

static const uint kNear = 256;

groupshared uint ends_early;  // no more portions are looked at
groupshared uint apart;       // threads whose targets are no neighbours
groupshared uint left;        // a bit for each part of the group's that is not done

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

// first: as above.
void scatter_part(Range range, uint part, uint first, uint thread, uint4 target) {
    uint i;
    bool may_do_all = pattern[1].y != 0 && range.first == 0;
    [unroll] for (i = 0; i < 4; ++i) named[4 * (GROUP - 1 - thread) + i] = target[i];
    if (may_do_all && any(target.yzw - target.x + kNear >= 2 * kNear)) InterlockedAdd(apart, 1);
    GroupMemoryBarrierWithGroupSync();
    if (may_do_all && apart <= GROUP / 8) {
        range.size = kNoTarget;
        if (thread == 0) winners.Store(4 * part, winners_base + 1);
    }
    uint4 mine;
    [unroll] for (i = 0; i < 4; ++i) mine[i] = named[i * GROUP + thread];
    uint2 item[4];
    [unroll] for (i = 0; i < 4; ++i) item[i] = items[first + thread + i * GROUP];
    [unroll] for (i = 0; i < 4; ++i) {
        if (mine[i] - range.first < range.size) table[mine[i]] = item[i];
    }
    GroupMemoryBarrierWithGroupSync();
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    bool looks = arguments.z != 0;
    bool stores = pattern[1].x != 0;
    Range range = find_range(group_id(group), (arguments.y + GROUP - 1) / GROUP, pattern[1].y, pattern[1].z);
    uint portions = looks ? arguments.z : range.part + range.parts;
    if (thread == 0) {
        ends_early = failed() ? 1 : 0;
        apart = 0;
        left = range.first == 0 ? 0xffffffff : 0;
    }
    GroupMemoryBarrierWithGroupSync();
    [branch] if (range.first != 0) {
        [branch] if (thread < range.parts) {
            if (winners.Load(4 * (range.part + thread)) <= winners_base) InterlockedOr(left, 1u << thread);
        }
        GroupMemoryBarrierWithGroupSync();
    }
    [loop] for (uint number = range.part; number < portions && !ends_early;) {
        [branch] if (left >> (number - range.part & 31) & 1) {
            uint id = number * (looks ? GROUP - 1 : GROUP) + thread;
            bool there = id < arguments.y;  // no thread may leave before the others: they meet at barriers
            Four four = locate_any(4 * (arguments.y - 1 - min(id, arguments.y - 1)));
            uint4 position = four.first + uint4(0, 1, 2, 3);
            bool4 marks = there && position < arguments.x && (four.inside || mode != kModeSkip);
            // Without a target. With portions such a position has only such behind it, or there is no order; before the
            // first one all are 0.
            uint4 target = marks ? four.place : there || !looks ? kNoTarget : 0;
            uint first = 4 * (arguments.y - GROUP - number * (looks ? GROUP - 1 : GROUP));
            [branch] if (looks) {
                scatter_portion(first, number == 0 ? kNoTarget : 0, thread, target);
            } else if (stores) {
                scatter_part(range, number, first, thread, target);
            } else {
                claim_together(thread, four.place, four.first, settled(number, thread, four.place, marks));
            }
        }
        number += looks ? kLookingGroups : 1;
    }
}
