// Reductions by sorting: targets with more than kLongestRun updates. Each block of so many pairs has a group (for each
// kLanes elements of a slice), which takes the run that begins in it and goes on behind it, if there is one: all threads
// load, and one an element combines, in C order. Floats in any order: each group takes what of such runs is in its block,
// and all of a run's meet at the table. arguments: x to z as in value.hlsli, w the number of pairs. pattern[0]: x whether
// they are such floats, y as in exchange.hlsli.

#define GROUP kLanes
#include "value.hlsli"

#if VALUES == VALUES_DOUBLES
static const uint kStaged = 4 * kLanes;
#else
static const uint kStaged = 8 * kLanes;
#endif

#if VALUES == VALUES_FLOATS
#include "exchange.hlsli"
#endif

static const uint kNone = 0xffffffff;

RWByteAddressBuffer pairs : register(WRITTEN(WINNERS_REGISTER));

groupshared Element staged[kStaged];
groupshared uint first_of_run;
groupshared uint end_of_rows;
groupshared uint reaches_further;  // whether the run is a long one

bool is_shared() { return pattern[0].x != 0; }

uint target_at(uint pair) { return pairs.Load(8 * pair); }

// Where the run begins that the block's last pair belongs to, or with is_shared() what of it is in the block, or of the
// one that goes on from the block before: then target is its own. arguments.w if it is not long, or of another group.
uint find_run(uint begin, uint thread, bool goes_on, inout uint target) {
    uint at = begin + thread;
    uint last = min(begin + kLongestRun, arguments.w) - 1;
    uint found = target_at(goes_on ? min(begin, last) : last);
    if (thread == 0) {
        first_of_run = arguments.w;
        reaches_further = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    bool counts = found < target_count && at <= last && thread < kLongestRun && !(is_shared() && found == target);
    counts = counts && !failed();
    [branch] if (counts) counts = target_at(at) == found;
    [branch] if (counts && !is_shared() && at != 0) counts = target_at(at - 1) != found;
    [branch] if (counts) {
        InterlockedMin(first_of_run, at);
        uint other = goes_on ? at - kLongestRun : at + kLongestRun;
        [branch] if (other < arguments.w) {
            if (target_at(other) == found) reaches_further = 1;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    uint first = reaches_further ? first_of_run : arguments.w;
    if (first < arguments.w || !goes_on) target = found;
    GroupMemoryBarrierWithGroupSync();
    return first;
}

// Combines the pairs from walker on that name the target, for the part of a slice that the group has.
void walk(uint walker, uint end, uint target, uint part, uint thread) {
    uint lanes = min(slice_units - part * kLanes, kLanes);
    uint rows = kStaged / lanes;
    uint within = (part * kLanes + thread) * arguments.z;
    uint offset = target * target_bytes + within;
    bool combines = walker < end && thread < lanes;
    Element value = (Element)0;
#if VALUES == VALUES_FLOATS
    value = pattern[0].y & element_mask();
#endif
    [branch] if (combines && !is_shared()) value = load_element(table, offset);
    [loop] while (walker < end) {
        if (thread == 0) end_of_rows = rows;
        GroupMemoryBarrierWithGroupSync();
        [unroll] for (uint four = 0; four < kStaged / kLanes; four += 4) {
            uint4 at = (four + uint4(0, 1, 2, 3)) * kLanes + thread;
            uint4 row = at / lanes;
            uint4 position = 0;
            uint i;
            [unroll] for (i = 0; i < 4; ++i) {
                uint2 pair = pairs.Load2(8 * min(walker + row[i], arguments.w - 1));
                bool is_in_run = walker + row[i] < end && pair.x == target;
                position[i] = is_in_run ? pair.y : kNone;
                if (row[i] < rows && !is_in_run) InterlockedMin(end_of_rows, row[i]);
            }
            uint4 lane = part * kLanes + at - row * lanes;
            uint4 item = find_items(position == kNone ? 0 : position) + lane * arguments.z;
            [unroll] for (i = 0; i < 4; ++i) {
                [branch] if (row[i] < rows && position[i] != kNone) staged[at[i]] = load_element(items, item[i]);
            }
        }
        GroupMemoryBarrierWithGroupSync();
        uint rows_there = end_of_rows;
        [branch] if (combines) {
            [loop] for (uint row = 0; row < rows_there; ++row) value = trim(combine(value, staged[row * lanes + thread]));
        }
        walker = rows_there < rows ? end : walker + rows;
        GroupMemoryBarrierWithGroupSync();
    }
#if VALUES == VALUES_FLOATS
    [branch] if (combines && is_shared()) {
        combine_word(own_word(offset), word_of(offset, value));
        combines = false;
    }
#endif
    [branch] if (combines) store_element(offset, value);
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint parts = (slice_units + kLanes - 1) / kLanes;
    uint block = group_id(group) / parts;
    uint part = group_id(group) - block * parts;
    uint begin = block * kLongestRun;
    uint next = begin + kLongestRun;
    uint target = kNone;
    [loop] for (uint side = is_shared() ? 0 : 1; side < 2; ++side) {
        uint first = find_run(begin, thread, side == 0, target);
        walk(first, is_shared() ? min(next, arguments.w) : arguments.w, target, part, thread);
    }
}
