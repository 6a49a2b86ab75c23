// accumulate_sums.hlsl where no group looks, of slices that kLeastBeside threads or more share: a group locates its
// positions together, each once. arguments and pattern: as there, of up to kMostEach positions a thread, and pattern[3]: x
// a thread has 2 to the power of it units of a slice, as far apart as the slice has threads.

#include "shared.h"

#define GROUP kAccumulated
#define WRAPS 0
#include "sums.hlsli"
#include "walk.hlsli"

static const uint kMostPlaces = (GROUP / kLeastBeside + 2) * kMostEach;  // no more than threads

groupshared uint2 places[kMostPlaces];  // of the group's positions: where they are in the table, or kNone, and in the items

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    uint beside = pattern[2].x;
    uint each = pattern[0].x;
    uint first = (id - thread) / beside;
    uint count = (id - thread + GROUP - 1) / beside - first + 1;
    [branch] if (thread < count * each) {
        uint whose = thread / each;
        uint i = thread - whose * each;
        Walk walk = walk_of((first + whose) * beside);
        Place found = (Place)0;
        bool leads = i < walk.count;
        [branch] if (leads) leads = find_update(walk, i, found);
        places[thread] = leads ? uint2(found.table, found.item) : kNone;
    }
    GroupMemoryBarrierWithGroupSync();
    uint own = id / beside;
    uint unit = id - own * beside;
    own = (own - first) * each;
    uint target = kNone;  // of what the thread has in hand
    Sum hand = 0;
    [loop] for (uint step = 0; step < each << pattern[3].x; ++step) {
        uint i = step >> pattern[3].x;
        uint others = step - (i << pattern[3].x);  // of a position's units before this one
        Place place = {places[own + i], 0};
        uint offset = 0;
        Element update = 0;
        bool there = place.table != kNone;
        [branch] if (there) there = load_unit(place, unit + others * beside, offset, update);
        [branch] if (there) there = is_for_hardware(offset, update);  // && would call it all the same
        [branch] if (there) {
            [branch] if (offset != target) {
                [branch] if (target != kNone) add_at_once(target, hand);
                hand = nothing();
                target = offset;
            }
            hand = both_of(hand, sum_of(update));
        }
    }
    [branch] if (target != kNone) add_at_once(target, hand);
}
