// Reductions by sorting, step 5: one thread walks the updates of one element of one target, in C order. arguments: x to z
// as in value.hlsli, w the number of pairs. pattern[0].x: targets with at most so many updates are done already.

#include "value.hlsli"

#define AHEAD 8

RWByteAddressBuffer pairs : register(WRITTEN(WINNERS_REGISTER));

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= thread_count || failed()) return;
    uint walker = id / slice_units;
    uint within = (id - walker * slice_units) * arguments.z;
    uint2 pair = pairs.Load2(8 * walker);
    uint target = pair.x;
    bool is_first = target < target_count;
    [branch] if (is_first && walker != 0) is_first = pairs.Load(8 * walker - 8) != target;
    [branch] if (is_first && pattern[0].x != 0) {
        uint last = walker + pattern[0].x;
        is_first = last < arguments.w;
        [branch] if (is_first) is_first = pairs.Load(8 * last) == target;
    }
    if (!is_first) return;

    uint offset = target * target_bytes + within;
    Element value = load_element(table, offset);
    bool more = true;
    [loop] while (more) {
        // So many at once, as loading takes much longer than combining.
        Element updates[AHEAD];
        uint count = 0;
        [unroll] for (uint a = 0; a < AHEAD; ++a) {
            pair = pairs.Load2(8 * min(walker + a, arguments.w - 1));
            more = more && walker + a < arguments.w && pair.x == target;
            if (more) ++count;
            updates[a] = load_element(items, locate(pair.y).item + within);
        }
        walker += count;
        [loop] for (; count > 0; --count) {
            value = trim(combine(value, updates[0]));
            [unroll] for (uint b = 1; b < AHEAD; ++b) updates[b - 1] = updates[b];
        }
    }
    store_element(offset, value);
}
