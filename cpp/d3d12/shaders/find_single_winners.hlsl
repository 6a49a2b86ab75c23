// find_winners.hlsl for single elements, four positions a thread. arguments.y: 0 if the indices are only to be checked,
// else how many fours there are: the last ones come first. arguments.z: the targets of a range.

#include "four.hlsli"
#include "ranges.hlsli"

#define CLAIMS_TOGETHER
#include "winners.hlsli"

// Where there are ranges, a group whose threads mostly have neighbouring targets each touches few lines of the cache: it
// claims those of all ranges at once, and notes behind the winners that nothing is left for the others.
static const uint kNear = 256;
groupshared uint apart;  // threads whose targets are not
groupshared bool is_done;

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    Range range = find_range(group_id(group), (arguments.y + GROUP - 1) / GROUP, arguments.z);
    uint note = 4 * (target_count + range.group);
    [branch] if (arguments.z) {
        [branch] if (thread == 0) {
            apart = 0;
            is_done = range.first && winners.Load(note) > winners_base;
        }
        GroupMemoryBarrierWithGroupSync();
        if (is_done) return;
    }
    uint id = range.group * GROUP + thread;
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
            if (thread == 0) winners.Store(note, winners_base + 1);
        }
    }
    marks = marks && target - range.first < range.size;
    claim_together(thread, target, four.first, settled(range.group, thread, target, marks));
}
