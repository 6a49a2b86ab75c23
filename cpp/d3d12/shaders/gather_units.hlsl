// table → items, any plan. UNIT is what is moved at once. PACKED: the items lie without gaps, and a thread builds
// a whole word of narrow units, or four words, before it stores them.

#include "plan.hlsli"
#include "unit.hlsli"
#include "line.hlsli"

RWByteAddressBuffer table : register(u0);
RWByteAddressBuffer items : register(u1);

uint table_word(uint offset) { return table.Load(offset & ~3u); }
#include "line_end.hlsli"

Unit fill_unit(uint unit) {
    uint at = unit % pattern_units;
#if UNIT == 16
    return pattern[at];
#elif UNIT == 4
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
    if (failed()) return;
    uint item_offset;
#if PACKED
    // arguments.x: all units. The last thread's word may belong in part to somebody else.
    static const uint kUnits = UNIT == 4 ? 4 : 4 / UNIT;
    uint first = id * kUnits;
    if (first >= arguments.x) return;
    [branch] if (arguments.x - first >= kUnits) {
#if UNIT == 4
        uint4 words;
        [unroll] for (uint i = 0; i < kUnits; ++i) words[i] = gather(first + i, item_offset);
        items.Store4(first * UNIT, words);
#else
        uint word = 0;
        [unroll] for (uint i = 0; i < kUnits; ++i) {
            word |= gather(first + i, item_offset) << 8 * UNIT * i;
        }
        items.Store(first * UNIT, word);
#endif
    } else {
        [loop] for (uint i = first; i < arguments.x; ++i) {
            Unit value = gather(i, item_offset);
            store_unit(items, item_offset, value);
        }
    }
#else
    if (id >= thread_count) return;
    Unit value = gather(id, item_offset);
    store_unit(items, item_offset, value);
#endif
}
