// Reductions by sorting: targets with more than kLongestRun updates. Each block of so many pairs has a group (for each
// kLanes elements of a slice), which takes the run that begins in it and goes on behind it, if there is one: all threads
// load, and one an element combines, in C order. arguments: x to z as in value.hlsli, w the number of pairs.

#define GROUP kLanes
#include "value.hlsli"

#if VALUES == VALUES_DOUBLES
static const uint kStaged = 4 * kLanes;
#else
static const uint kStaged = 8 * kLanes;
#endif

static const uint kNone = 0xffffffff;

RWByteAddressBuffer pairs : register(WRITTEN(WINNERS_REGISTER));

groupshared Element staged[kStaged];
groupshared uint first_of_run;
groupshared uint end_of_rows;

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint parts = (slice_units + kLanes - 1) / kLanes;
    uint block = group_id(group) / parts;
    uint part = group_id(group) - block * parts;
    uint lanes = min(slice_units - part * kLanes, kLanes);
    uint begin = block * kLongestRun;
    uint next = begin + kLongestRun;
    if (thread == 0) first_of_run = arguments.w;
    GroupMemoryBarrierWithGroupSync();
    uint target = target_count;
    [branch] if (next < arguments.w && !failed()) target = pairs.Load(8 * next - 8);
    [branch] if (target < target_count && thread < kLongestRun) {
        uint at = begin + thread;
        bool is_first = pairs.Load(8 * at) == target;
        [branch] if (is_first && at != 0) is_first = pairs.Load(8 * at - 8) != target;
        [branch] if (is_first && at + kLongestRun < arguments.w) {
            if (pairs.Load(8 * (at + kLongestRun)) == target) first_of_run = at;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    uint walker = first_of_run;
    uint rows = kStaged / lanes;
    uint within = (part * kLanes + thread) * arguments.z;
    uint offset = target * target_bytes + within;
    bool combines = walker < arguments.w && thread < lanes;
    Element value = (Element)0;
    [branch] if (combines) value = load_element(table, offset);
    [loop] while (walker < arguments.w) {
        if (thread == 0) end_of_rows = rows;
        GroupMemoryBarrierWithGroupSync();
        [unroll] for (uint four = 0; four < kStaged / kLanes; four += 4) {
            uint4 at = (four + uint4(0, 1, 2, 3)) * kLanes + thread;
            uint4 row = at / lanes;
            uint4 position = 0;
            uint i;
            [unroll] for (i = 0; i < 4; ++i) {
                uint2 pair = pairs.Load2(8 * min(walker + row[i], arguments.w - 1));
                bool is_in_run = walker + row[i] < arguments.w && pair.x == target;
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
        uint end = end_of_rows;
        [branch] if (combines) {
            [loop] for (uint row = 0; row < end; ++row) value = trim(combine(value, staged[row * lanes + thread]));
        }
        walker = end < rows ? arguments.w : walker + rows;
        GroupMemoryBarrierWithGroupSync();
    }
    [branch] if (combines) store_element(offset, value);
}
