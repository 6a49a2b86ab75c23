// Reductions by sorting, step 5: one thread walks the updates of one element of one target, in C order. arguments: x to z
// as in value.hlsli, w the number of pairs. pattern[0]: x whether starts knows where the targets' pairs begin, z how many
// updates a target may have: those with more are left to reduce_long.hlsl; w up to how many are done already.

#include "value.hlsli"

#define AHEAD 8

RWByteAddressBuffer starts : register(u2);
RWByteAddressBuffer pairs : register(WRITTEN(WINNERS_REGISTER));

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= thread_count || failed()) return;
    uint walker = id / slice_units;
    uint within = (id - walker * slice_units) * arguments.z;
    uint target = walker;
    bool is_first = true;
    [branch] if (pattern[0].x) {
        walker = min(starts.Load(4 * target), arguments.w - 1);
        is_first = pairs.Load(8 * walker) == target;
    } else {
        target = pairs.Load(8 * walker);
        is_first = target < target_count;
    }
    [branch] if (is_first && walker != 0) is_first = pairs.Load(8 * walker - 8) != target;
    [branch] if (is_first && pattern[0].w != 0) {
        uint next = walker + pattern[0].w;
        is_first = pairs.Load(8 * min(next, arguments.w - 1)) == target && next < arguments.w;
    }
    [branch] if (is_first && walker + pattern[0].z < arguments.w) {
        is_first = pairs.Load(8 * (walker + pattern[0].z)) != target;
    }
    if (!is_first) return;

    uint offset = target * target_bytes + within;
    Element value = load_element(table, offset);
    bool more = true;
    [loop] while (more) {
        // So many at once, as loading takes much longer than combining.
        Element updates[AHEAD];
        uint4 positions[AHEAD / 4];
        uint count = 0;
        uint a;
        [unroll] for (a = 0; a < AHEAD; ++a) {
            uint2 pair = pairs.Load2(8 * min(walker + a, arguments.w - 1));
            more = more && walker + a < arguments.w && pair.x == target;
            if (more) ++count;
            positions[a / 4][a % 4] = pair.y;
        }
        [unroll] for (a = 0; a < AHEAD; a += 4) {
            uint4 item = find_items(positions[a / 4]);
            [unroll] for (uint i = 0; i < 4; ++i) updates[a + i] = load_element(items, item[i] + within);
        }
        walker += count;
        [loop] for (; count > 0; --count) {
            value = trim(combine(value, updates[0]));
            [unroll] for (uint b = 1; b < AHEAD; ++b) updates[b - 1] = updates[b];
        }
    }
    store_element(offset, value);
}
