// find_winners.hlsl for single elements, four positions a thread. arguments.y: 0 if the indices are only to be checked,
// else how many fours there are: the last ones come first. arguments.z: the targets of a range; pattern[0].y: the parts that
// a group of a later range has, at most 32.

#include "four.hlsli"
#include "ranges.hlsli"

#define CLAIMS_TOGETHER
#include "winners.hlsli"

// Where there are ranges, a group whose threads mostly have neighbouring targets each touches few lines of the cache: it
// claims those of all ranges at once, and notes behind the winners that nothing is left for the others. Of those each has
// several parts to look at, as it takes longer to begin a group than to see that nothing is left.
static const uint kNear = 256;
groupshared uint apart;  // threads whose targets are not
groupshared uint left;   // a bit for each part of the group's that is not done

void claim_part(Range range, uint part, uint thread) {
    uint id = part * GROUP + thread;
    bool there = id < arguments.y && !failed();  // no thread may leave before the others: they meet at barriers
    Four four = locate_four(arguments.y == 0 ? id : arguments.y - 1 - min(id, arguments.y - 1));
    if (arguments.y == 0) return;
    uint4 target = four.place;
    bool4 marks = there && four.first + uint4(0, 1, 2, 3) < arguments.x && (four.inside || mode < kModeSkip);
    [branch] if (mode == kModeLinear && target_bytes > 1) {
        [loop] for (uint i = 0; i < 4; ++i) {
            bool4 here = marks && uint4(0, 1, 2, 3) == i;
            uint4 address = here ? four.address : 0;
            uint found = 0;
            bool finds = any(here) && find_target(address.x | address.y | address.z | address.w, found);
            target = here ? found : target;
            marks = marks && (!here || finds);
        }
    }
    [branch] if (arguments.z && range.first == 0) {
        if (any(target.yzw - target.x + kNear >= 2 * kNear)) InterlockedAdd(apart, 1);
        GroupMemoryBarrierWithGroupSync();
        if (apart <= GROUP / 8) {
            range.size = 0xffffffff;
            if (thread == 0) winners.Store(4 * (target_count + part), winners_base + 1);
        }
    }
    marks = marks && target - range.first < range.size;
    claim_together(thread, target, four.first, settled(part, thread, target, marks));
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    Range range = find_range(group_id(group), (arguments.y + GROUP - 1) / GROUP, arguments.z, pattern[0].y);
    [branch] if (arguments.z) {
        if (thread == 0) {
            apart = 0;
            left = range.first == 0 ? 1 : 0;
        }
        GroupMemoryBarrierWithGroupSync();
        [branch] if (range.first != 0 && thread < range.parts) {
            if (winners.Load(4 * (target_count + range.part + thread)) <= winners_base) InterlockedOr(left, 1u << thread);
        }
        GroupMemoryBarrierWithGroupSync();
    }
    [loop] for (uint i = 0; i < range.parts; ++i) {
        [branch] if (arguments.z == 0 || (left >> i & 1) != 0) {
            [branch] if (i > 0) GroupMemoryBarrierWithGroupSync();
            claim_part(range, range.part + i, thread);
        }
    }
}
