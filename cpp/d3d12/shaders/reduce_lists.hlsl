// Reductions by lists, step 2: one thread walks the list of one element of one target: SORTED nodes at a time, those of
// the smallest positions first, so that they come in C order. A list of more than kLongestList is left to the kernels
// that sort: they do nothing unless the slot at arguments.w says that there is one. arguments: x to z as in
// value.hlsli. pattern[0].x: whether nodes hold the items.

#include "value.hlsli"

#define SORTED 4
static const uint kNone = 0xffffffff;

RWByteAddressBuffer nodes : register(u2);
RWByteAddressBuffer heads : register(WRITTEN(WINNERS_REGISTER));

// The smallest positions (+ 1) of the list that are above a bound, in order, and their items.
struct Smallest {
    uint positions[SORTED];
    uint items[SORTED];
    uint length;  // of the whole list, or kLongestList + 1
};

Smallest find_smallest(uint head, uint bound) {
    Smallest found;
    [unroll] for (uint i = 0; i < SORTED; ++i) {
        found.positions[i] = kNone;
        found.items[i] = 0;
    }
    found.length = 0;
    uint position = head;
    [loop] while (position != 0 && found.length <= kLongestList) {
        uint2 node = nodes.Load2(8 * (position - 1));
        uint2 moving = uint2(position > bound ? position : kNone, node.y);
        [unroll] for (uint j = 0; j < SORTED; ++j) {
            uint2 there = uint2(found.positions[j], found.items[j]);
            bool sooner = moving.x < there.x;
            uint2 kept = sooner ? moving : there;
            found.positions[j] = kept.x;
            found.items[j] = kept.y;
            moving = sooner ? there : moving;
        }
        position = node.x;
        ++found.length;
    }
    return found;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= thread_count || failed()) return;
    uint target = id / slice_units;
    uint head = heads.Load(4 * target);
    if (head == 0) return;
    uint within = (id - target * slice_units) * arguments.z;
    uint offset = target * target_bytes + within;
    Element value = load_element(table, offset);
    Smallest found = (Smallest)0;
    found.length = 1;  // until it is known
    found.positions[0] = kNone;
    uint position = 0;
    uint taken = 0;
    [loop] while (taken < found.length) {
        [branch] if (found.positions[0] == kNone) found = find_smallest(head, position);
        [branch] if (found.length > kLongestList) {
            slots.Store(arguments.w, 0);
            return;
        }
        position = found.positions[0];
        Element update = (Element)found.items[0];
        [branch] if (!pattern[0].x) update = load_element(items, locate(position - 1).item + within);
        [unroll] for (uint i = 1; i < SORTED; ++i) {
            found.positions[i - 1] = found.positions[i];
            found.items[i - 1] = found.items[i];
        }
        found.positions[SORTED - 1] = kNone;
        value = trim(combine(value, update));
        ++taken;
    }
    store_element(offset, value);
}
