// The first pass of a scatter in which the last write wins: each target learns the last position that names it.

#include "plan.hlsli"

#include "winners.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= thread_count || failed()) return;
    uint position = thread_count - 1 - id;  // the last ones first
    Place place = locate(position);
    bool inside = resolve_all(place);
    uint target;
    [branch] if (inside && find_target(place.table, target)) {
        uint number = winners_base + position + 1;
        // Most of those that name one target together find a later one there already, and need no claim.
        [branch] if (winners.Load(4 * target) < number) winners.InterlockedMax(4 * target, number);
    }
}
