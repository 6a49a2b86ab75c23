// items → table, one unit a thread. arguments.x: whether winners holds, for each target, the last position
// that names it (+ 1); the others then keep out.

#include "plan.hlsli"
#include "unit.hlsli"

RWByteAddressBuffer winners : register(u4);

#if TYPED
Buffer<uint4> items : register(t0);
RWBuffer<uint4> table : register(u0);
Unit load_item(uint offset) { return items[offset / 16]; }
void store_table(uint offset, Unit value) { table[offset / 16] = value; }
#else
RWByteAddressBuffer table : register(u0);
RWByteAddressBuffer items : register(u1);
Unit load_item(uint offset) { return load_unit(items, offset); }
void store_table(uint offset, Unit value) { store_unit(table, offset, value); }
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= thread_count || failed()) return;
    uint position = id / slice_units;
    uint unit = id - position * slice_units;
    Place place = locate(position);
    bool writes = resolve_all(place);
    if (writes && arguments.x) {
        writes = winners.Load(4 * (place.table / target_bytes)) == position + 1;
    }
    if (writes) store_table(place.table + unit * UNIT, load_item(place.item + unit * UNIT));
}
