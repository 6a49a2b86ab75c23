// Reductions by lists, step 1: each target gets a list of the positions that name it, in no order. A target's word in
// heads is a position + 1, or 0 if nothing names it. A position's node says which comes next (0: none), and in
// list_single_updates.hlsl what the item is. The slot at arguments.w gets ready for step 2.

#include "plan.hlsli"

RWByteAddressBuffer nodes : register(u0);
RWByteAddressBuffer heads : register(WRITTEN(WINNERS_REGISTER));

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint position = thread_id(group, thread);
    if (position == 0) slots.Store(arguments.w, 1);
    if (position >= thread_count || failed()) return;
    Place place = locate(position);
    if (!resolve_all(place)) return;
    uint next;
    heads.InterlockedExchange(4 * (place.table / target_bytes), position + 1, next);
    nodes.Store(8 * position, next);
}
