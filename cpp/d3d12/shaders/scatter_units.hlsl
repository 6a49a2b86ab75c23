// items → table, any plan, one unit a thread. arguments.x: whether winners says which position is the last that names
// each target; the others then keep out.

#include "plan.hlsli"
#include "unit.hlsli"
#include "line.hlsli"
#include "winners.hlsli"

RWByteAddressBuffer table : register(u0);
RWByteAddressBuffer items : register(u1);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= thread_count || failed()) return;
    uint position = id / slice_units;
    uint unit = id - position * slice_units;
    Place place = locate(position);
    bool writes = resolve_all(place);
    [branch] if (writes && arguments.x) writes = has_won(place.table, position);
    uint offset;
    writes = find_unit(place.table, unit, offset) && writes;
    [branch] if (writes) store_unit(table, offset, load_unit(items, place.item + unit * UNIT));
}
