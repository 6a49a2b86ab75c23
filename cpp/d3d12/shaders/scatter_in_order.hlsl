// items → table in order, where a linear plan's slices overlap in part (find_target notes it), or there are too many
// targets for winners: each thread has units of the table of its own, every arguments.z-th, and goes through positions
// arguments.x to arguments.y in their order, so that the last one stays. Nothing but the time that it takes depends on how many there are.

#include "plan.hlsli"
#include "unit.hlsli"
#include "line.hlsli"
#include "winners.hlsli"

#if TYPED
Buffer<uint4> items : register(t0);
RWBuffer<uint4> table : register(u0);
void move_unit(uint target, uint source) { table[target / 16] = items[source / 16]; }
#else
RWByteAddressBuffer table : register(u0);
RWByteAddressBuffer items : register(u1);
void move_unit(uint target, uint source) { store_unit(table, target, load_unit(items, source)); }
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (winners.Load(4 * target_count) == 0 || failed()) return;
    [loop] for (uint position = arguments.x; position < arguments.y; ++position) {
        Place place = locate(position);
        [branch] if (!resolve_all(place)) continue;
        // The first unit whose number in the table is the thread's.
        uint first = (place.table << line_shift) / UNIT;
        [loop] for (uint unit = (id - first) % arguments.z; unit < slice_units; unit += arguments.z) {
            uint offset;
            [branch] if (find_unit(place.table, unit, offset)) move_unit(offset, place.item + unit * UNIT);
        }
    }
}
