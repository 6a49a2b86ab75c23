// Reductions, step 1: for each position the number of the target it writes to (target_count if it is
// dropped) and its own, as a pair. Sorted by target they stay in C order, and step 5 walks them.

#include "plan.hlsli"

RWByteAddressBuffer pairs : register(WRITTEN(WINNERS_REGISTER));

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint position = thread_id(group, thread);
    if (position >= thread_count || failed()) return;
    Place place = locate(position);
    uint target = target_count;
    if (resolve_all(place)) target = place.table / target_bytes;
    pairs.Store2(8 * position, uint2(target, position));
}
