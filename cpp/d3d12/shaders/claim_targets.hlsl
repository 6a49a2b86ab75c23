// find_winners.hlsl for few positions; any plan without a wrap, and not linear. One position a thread, the last ones first:
// there are few groups, which wait for their instructions more than for the memory. arguments: x the positions, y whether
// their items are stored at once, in place: then targets are elements of the table, and nothing else is left to do; z
// whether positions are so many that most groups begin when others have claimed.

#define GROUP kClaimThreads
#define WRAPS 0
#include "plan.hlsli"

Buffer<uint4> items : register(t0);  // R8, R16, R32, RG32 or RGBA32: an element
globallycoherent RWBuffer<uint4> table : register(u0);  // the same
RWByteAddressBuffer winners : register(WRITTEN(WINNERS_REGISTER));  // winners.hlsli

static const uint kSeveral = GROUP / 16;

groupshared uint named[GROUP];   // the threads' targets
groupshared uint firsts[GROUP];  // of the threads whose targets end in these bits: the one with the last position
groupshared uint rounds;
groupshared uint repeated;  // threads whose target a later position of the group names

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    bool there = id < arguments.x && !failed();  // no thread may leave before the others: they meet at barriers
    uint position = arguments.x - 1 - min(id, arguments.x - 1);
    uint4 item = 0;
    [branch] if (arguments.y) item = items[position];
    Place place = locate(position);
    bool claims = resolve_all(place) && there;
    uint target = place.table;
    named[thread] = target;
    firsts[thread] = GROUP - 1;
    if (thread == 0) rounds = repeated = 0;
    GroupMemoryBarrierWithGroupSync();
    // Of those that name one target here the last claims it: at one that all name they would queue up.
    if (claims) InterlockedMin(firsts[target % GROUP], thread);
    GroupMemoryBarrierWithGroupSync();
    uint first = firsts[target % GROUP];
    bool repeats = claims && first < thread && named[first] == target;
    claims = claims && !repeats;
    // Where several meet in a group, groups before it have most likely claimed what they name: a look is enough then.
    [branch] if (arguments.z) {
        if (repeats) InterlockedAdd(repeated, 1);
        GroupMemoryBarrierWithGroupSync();
        [branch] if (claims && repeated >= kSeveral) claims = winners.Load(4 * target) <= winners_base + position;
    }

    // The item of a position that is the last to name its target so far is stored. When it is there, the thread looks
    // whether a later one has come meanwhile, whose item may have been stored before: it then stores that once more. So
    // the last to store anything at a target knows the last of all: had that come after its look, it would store by
    // itself, after what was there then.
    uint number = winners_base + position + 1;
    uint last = number;
    [branch] if (claims) winners.InterlockedMax(4 * target, number, last);
    bool stores = arguments.y && last < number;
    if (stores) rounds = 1;
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint round = 1; rounds == round; ++round) {
        [branch] if (stores) table[target] = item;
        AllMemoryBarrierWithGroupSync();
        [branch] if (stores) {
            winners.InterlockedMax(4 * target, number, last);
            stores = last != number;
            number = last;
            [branch] if (stores) item = items[last - winners_base - 1];
        }
        if (stores) rounds = round + 1;
        GroupMemoryBarrierWithGroupSync();
    }
}
