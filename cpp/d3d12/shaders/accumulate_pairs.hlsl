// accumulate_sums.hlsl for many single elements of up to 4 bytes: a thread fetches what two neighbouring positions have at
// once, as what bounds such sums are the loads. Once its group knows that it goes on without lists, it does so in a loop
// of its own. Tuples of up to four indices of 4 or 8 bytes lie one after the other, and so do the items; no wrap, and no
// linear plan. arguments: x to z as in value.hlsli. pattern[0]: x the positions of a thread, two times some, y and z as in
// accumulate_sums.hlsl, w all positions.

#include "shared.h"

#define GROUP kAccumulated
#include "sums.hlsli"

Buffer<uint2> item_pairs : register(t0);   // R32 or RG32: two items
Buffer<uint4> index_pairs : register(t1);  // RG32 or RGBA32: two indices

struct Pair {
    uint2 place;  // byte offset in the table
    uint2 items;
    bool2 there;
};

// The k-th two of a pair's tuples: adds their coordinates' parts to the places. An index out of range is clamped or skipped.
void add_indices(uint k, uint number, uint4 loaded, inout Pair pair) {
    bool eights = index_bytes == 8;
    uint2 low = eights ? loaded.xz : loaded.xy;
    uint2 high = eights ? loaded.yw : index_signed ? asuint(asint(low) >> 31) : 0;
    uint2 coordinate = 2 * k + uint2(0, 1);
    bool2 of_second = coordinate >= coordinate_count;
    coordinate -= of_second ? coordinate_count : 0;
    uint2 limit = uint2(coordinates[coordinate.x].limit, coordinates[coordinate.y].limit);
    uint2 stride = uint2(coordinates[coordinate.x].table_stride, coordinates[coordinate.y].table_stride);
    bool2 negative = index_signed && asint(high) < 0;
    uint2 found = low + (negative ? limit : 0);
    bool2 there = of_second ? pair.there.yy : pair.there.xx;
    bool2 outside = there && !(found < limit && high == (negative ? 0xffffffff : 0));
    [branch] if (any(outside)) {
        if (outside.x) note_outside(limit.x, number);
        if (outside.y) note_outside(limit.y, number + 1);
        uint2 nearest = negative ? 0 : max(limit, 1) - 1;
        found = outside ? nearest : found;
        if (mode == kModeSkip) {
            pair.there.x = pair.there.x && !any(outside && !of_second);
            pair.there.y = pair.there.y && !any(outside && of_second);
        }
    }
    found *= stride;
    uint2 seconds = of_second ? found : 0;
    found -= seconds;
    pair.place += uint2(found.x + found.y, seconds.x + seconds.y);
}

// Of an even position and the next one.
Pair load_pair(uint position, uint end) {
    uint2 both = position + uint2(0, 1);
    Pair pair;
    pair.items = item_pairs[position / 2];
    pair.place = 0;
    pair.there = both < end;
    uint2 rest = both;
    [loop] for (uint d = rank; d-- > 0;) {
        uint2 p = rest;
        [branch] if (d > 0) {
            rest = p / dims[d].size;
            p -= rest * dims[d].size;
        }
        pair.place += p * dims[d].table_stride;
    }
    uint number = position * coordinate_count;
    [loop] for (uint k = 0; k < coordinate_count; ++k, number += 2) {
        add_indices(k, number, index_pairs[number / 2], pair);
    }
    return pair;
}

// One of the two: where it goes, and what it is. Of halves that is a word.
void take_of(Pair pair, bool second, out uint offset, out Element update) {
    offset = second ? pair.place.y : pair.place.x;
#if ADDS == 2
    update = word_of(offset, second ? pair.items.x >> 16 : pair.items.x & 0xffff);
    offset &= ~3u;
#else
    update = second ? pair.items.y : pair.items.x;
#endif
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
#if ADDS == 2
    find_nans();
#endif
    uint each = pattern[0].x;
    uint end = failed() ? 0 : pattern[0].w;
    uint first = group_id(group) * GROUP * each + 2 * thread;
    uint target = kNone;  // of what the thread has in hand
    Sum hand = 0;
    Looks looks = begin_looks(thread, pattern[0].z ? kNone : 2, kLongList);
    uint rounds = each + 1;  // in the last one the hands are emptied
    uint round = 1;
    Pair pair;
    [loop] for (; looks.next <= rounds && round <= rounds; ++round) {
        uint i = round - 1;
        uint offset = kNone;
        Element element = 0;
        pair = load_pair(first + i / 2 * (2 * GROUP), end);
        take_of(pair, i % 2 != 0, offset, element);
        bool there = i < each && (i % 2 != 0 ? pair.there.y : pair.there.x);
        [branch] if (there) there = is_for_hardware(offset, element);
        Sum update = sum_of(element);
        bool met = hand_over(target, hand, offset, update, there, true, round == rounds);
        uint leaving = look(looks, thread, round, rounds, offset, update, met, target, there);
        add_both(leaving, looks.kept, there, offset, update);
    }
    uint begin = round - 1;
    [loop] for (uint i = begin; i <= each; ++i) {
        uint offset = kNone;
        Element element = 0;
        bool there = false;
        [branch] if (i < each) {
            bool second = i % 2 != 0;
            [branch] if (!second || i == begin) pair = load_pair(first + i / 2 * (2 * GROUP), end);
            there = second ? pair.there.y : pair.there.x;
            take_of(pair, second, offset, element);
            [branch] if (there) there = is_for_hardware(offset, element);
        }
        [branch] if (there ? offset != target : i == each) {  // in the last round the hand is emptied
            [branch] if (target != kNone) add_at_once(target, hand);
            target = offset;
            hand = sum_of(element);
        } else if (there) {
            hand = both_of(hand, sum_of(element));
        }
    }
}
