// items → table, any plan, one unit a thread. arguments.x: whether winners holds, for each target, the last position
// that names it (+ 1); the others then keep out.

#include "plan.hlsli"
#include "unit.hlsli"

RWByteAddressBuffer winners : register(WRITTEN(WINNERS_REGISTER));

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
    [branch] if (writes && arguments.x) {
        writes = winners.Load(4 * (place.table / target_bytes)) == position + 1;
    }
    [branch] if (writes) store_unit(table, place.table + unit * UNIT, load_unit(items, place.item + unit * UNIT));
}
