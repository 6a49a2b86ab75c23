// The first pass of a scatter in which the last write wins: each target learns the last position that names it.

#include "plan.hlsli"

RWByteAddressBuffer winners : register(WRITTEN(WINNERS_REGISTER));

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint position = thread_id(group, thread);
    if (position >= thread_count || failed()) return;
    Place place = locate(position);
    if (resolve_all(place)) {
        winners.InterlockedMax(4 * (place.table / target_bytes), position + 1);
    }
}
