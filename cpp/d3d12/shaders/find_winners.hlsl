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
        bool4 marks = bool4(true, false, false, false);
        claim(target, number, may_claim(target, number, marks));
    }
}
