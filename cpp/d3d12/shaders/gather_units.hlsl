// table → items, any plan, one unit a thread.

#define HOLDS
#include "plan.hlsli"
#include "unit.hlsli"
#include "line.hlsli"

RWByteAddressBuffer table : register(u0);
RWByteAddressBuffer items : register(u1);

uint table_word(uint offset) { return table.Load(offset & ~3u); }
#include "line_end.hlsli"

Unit fill_unit(uint unit) {
    uint at = unit % pattern_units;
#if UNIT == 4
    return pattern[at / 4][at % 4];
#else
    uint offset = at * UNIT;
    return pattern[offset / 16][offset / 4 % 4] >> 8 * (offset & 3) & ((1u << 8 * UNIT) - 1);
#endif
}

// The id-th unit of all that is moved; item_offset is where it goes.
Unit gather(uint id, out uint item_offset) {
    uint position = id / slice_units;
    uint unit = id - position * slice_units;
    Place place = locate(position);
    bool inside = resolve_all(place);
    item_offset = place.item + unit * UNIT;
    uint offset;
    inside = find_unit(place.table, unit, offset) && inside;
    Unit value;
    [branch] if (inside) {
        value = load_unit(table, offset);
    } else [branch] if (mode == kModeLinear) {
        value = unit_behind(unit);
    } else {
        value = fill_unit(unit);
    }
    return value;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    bool stops = begins_failed(thread);
    uint item_offset;
    Unit value = gather(min(id, thread_count - 1), item_offset);
    if (is_held() || stops || id >= thread_count) return;
    store_unit(items, item_offset, value);
}
