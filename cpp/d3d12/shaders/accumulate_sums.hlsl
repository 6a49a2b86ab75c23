// accumulate.hlsl's sums of what the hardware adds: integers of 4 and 8 bytes, and floats as ADDS says (atomic_adds.hpp),
// float32, or two float16 that share a word. So a target costs one atomic, not two. A target that many name at once
// takes them one after the other all the same, and where a group finds such a one, it goes on as accumulate.hlsl does.
// arguments and pattern: as there, and pattern[0]: z whether no group is to look; see add_slices.hlsl, too.

#include "shared.h"

#define GROUP kAccumulated
#include "sums.hlsli"
#include "walk.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
#if ADDS == 2
    find_nans();
#endif
    Walk walk = walk_of(thread_id(group, thread));
    uint target = kNone;  // of what the thread has in hand
    Sum hand = 0;
#if ADDS != 2
    [branch] if (pattern[0].z != 0) {  // a loop for which less is enough is quicker
        [loop] for (uint i = 0; i < walk.count; ++i) {
            uint offset;
            Element update;
            bool there = load_update(walk, i, offset, update);
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
        return;
    }
#endif
    uint rounds = pattern[0].x + (pattern[0].x > 1 ? 1 : 0);  // in the last one the hands are emptied
    Looks looks = begin_looks(thread, pattern[0].z ? rounds + 1 : min(rounds, 2), pattern[2].x == 1 ? kLongList : 0);
    [loop] for (uint round = 1; round <= rounds; ++round) {
        uint offset = kNone;
        Element element = 0;
        bool there = round <= walk.count;
        [branch] if (there) there = load_update(walk, round - 1, offset, element);
        [branch] if (there) there = is_for_hardware(offset, element);
        Sum update = sum_of(element);
        bool met = hand_over(target, hand, offset, update, there, rounds > 1, round == rounds);
        uint leaving = look(looks, thread, round, rounds, offset, update, met, target, there);
        add_both(leaving, looks.kept, there, offset, update);
    }
}
