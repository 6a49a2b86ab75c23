// Reductions by sorting: targets with more than so many updates. Each block of so many pairs has a group (for each
// kLanes elements of a slice), which takes the run that begins in it and goes on behind it, if there is one: all threads
// load, and one an element combines, in C order. Floats in any order: each group takes what of such runs is in its block,
// and all of a run's meet at the table. arguments: x to z as in value.hlsli, w the number of pairs. pattern[0]: x whether
// they are such floats, y as in exchange.hlsli, z so many.

#define GROUP kLanes
#include "value.hlsli"

#if VALUES == VALUES_DOUBLES
static const uint kOfAThread = 4;
#else
static const uint kOfAThread = 8;
#endif
static const uint kStaged = kOfAThread * kLanes;
static const uint kAtOnce = kStaged / kLanes;  // rows, of which there are as many at least

#if VALUES == VALUES_FLOATS
#include "exchange.hlsli"

static const uint kUnchanging = kSign;  // −0: no sum is another one with it
#endif

static const uint kNone = 0xffffffff;

RWByteAddressBuffer pairs : register(WRITTEN(WINNERS_REGISTER));

groupshared Element staged[kStaged];
groupshared uint first_of_run;
groupshared uint rows_there;  // of those that are staged, the ones that name the target
groupshared uint reaches_further;  // whether the run is a long one

bool is_shared() { return pattern[0].x != 0; }
uint block_pairs() { return pattern[0].z; }

uint target_at(uint pair) { return pairs.Load(8 * pair); }

// Where the run begins that the block's last pair belongs to, or with is_shared() what of it is in the block, or of the
// one that goes on from the block before: then target is its own. arguments.w if it is not long, or of another group.
uint find_run(uint begin, uint thread, bool goes_on, inout uint target) {
    uint at = begin + thread;
    uint last = min(begin + block_pairs(), arguments.w) - 1;
    uint found = target_at(goes_on ? min(begin, last) : last);
    if (thread == 0) {
        first_of_run = arguments.w;
        reaches_further = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    bool counts = found < target_count && at <= last && thread < block_pairs() && !(is_shared() && found == target);
    counts = counts && !failed();
    [branch] if (counts) counts = target_at(at) == found;
    [branch] if (counts && !is_shared() && at != 0) counts = target_at(at - 1) != found;
    [branch] if (counts) {
        InterlockedMin(first_of_run, at);
        uint other = goes_on ? at - block_pairs() : at + block_pairs();
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

#if VALUES == VALUES_FLOATS
// What kAtOnce rows add up to, and how far the sums went.
struct Sums {
    uint last;
    uint smallest;
    uint largest;
};

// To the 16 bits that a half or a bfloat has of a float32's, the others being 0.
struct Rounding {
    uint dropped;       // bits
    uint below_middle;  // the largest of what they can be that is rounded down whatever is kept
    uint kept;          // mask
};

Sums add_rows(uint old, uint first, uint lanes, bool rounds, Rounding rounding) {
    Sums sums;
    sums.last = old;
    sums.smallest = kInfinity;
    sums.largest = 0;
    [unroll] for (uint i = 0; i < kAtOnce; ++i) {
        precise float exact = asfloat(sums.last) + asfloat(staged[first + i * lanes]);
        uint sum = asuint(exact);
        sums.smallest = min(sums.smallest, magnitude_of(sum));
        sums.largest = max(sums.largest, magnitude_of(sum));
        if (rounds) sum = (sum + rounding.below_middle + (sum >> rounding.dropped & 1)) & rounding.kept;
        sums.last = sum;
    }
    return sums;
}

// A row after the other makes a chain of instructions that wait for each other: it has none but an addition and, of 16
// bits, their rounding, as long as all sums are what the hardware is sure to reckon rightly. Of halves these are all but
// infinities and NaNs: a sum of theirs is no denormal float32, and where it is a denormal half it needs no rounding.
// There are kAtOnce rows at a time: those behind count change nothing.
Element combine_rows(Element old, uint first, uint lanes, uint count) {
    bool is_half = arguments.x == kValueFloat16;
    uint least = is_half ? 0 : kLeastSure;
    uint most = is_half ? kLeastInfiniteHalf : kInfinity;
    Rounding rounding;
    rounding.dropped = is_half ? 13 : 16;
    rounding.below_middle = is_half ? 0xfff : 0x7fff;
    rounding.kept = is_half ? 0xffffe000 : 0xffff0000;
    uint value = old;
    [loop] for (uint row = 0; row < count; row += kAtOnce) {
        bool is_sure = arguments.y == kReductionAdd;
        [branch] if (is_sure) {
            Sums sums;
            [branch] if (arguments.z == 4) {
                sums = add_rows(value, first + row * lanes, lanes, false, rounding);
            } else {
                sums = add_rows(value, first + row * lanes, lanes, true, rounding);
            }
            is_sure = sums.smallest >= least && sums.largest < most;
            if (is_sure) value = sums.last;
        }
        [branch] if (!is_sure) {
            [loop] for (uint i = row; i < min(row + kAtOnce, count); ++i) {
                value = widen(uint4(narrow(combine_widened(value, staged[first + i * lanes])), 0, 0, 0)).x;
            }
        }
    }
    return value;
}
#else
Element combine_rows(Element old, uint first, uint lanes, uint count) {
    Element value = old;
    [loop] for (uint row = 0; row < count; ++row) value = trim(combine(value, staged[first + row * lanes]));
    return value;
}
#endif

// Combines the pairs from walker on that name the target, for the part of a slice that the group has. All threads load
// the next rows, and find out which ones come after these, while some combine what has been loaded before.
void walk(uint walker, uint end, uint target, uint part, uint thread) {
    uint lanes = min(slice_units - part * kLanes, kLanes);
    uint rows = kStaged / lanes / kAtOnce * kAtOnce;
    uint within = (part * kLanes + thread) * arguments.z;
    uint offset = target * target_bytes + within;
    bool combines = walker < end && thread < lanes;
    Element value = (Element)0;
#if VALUES == VALUES_FLOATS
    value = pattern[0].y & element_mask();
#endif
    [branch] if (combines && !is_shared()) value = load_element(table, offset);
#if VALUES == VALUES_FLOATS
    value = widen(uint4(value, 0, 0, 0)).x;
#endif
    uint row[kOfAThread];
    uint2 pair[kOfAThread];     // of the rows after the next
    Element next[kOfAThread];   // of floats the words that they are in
    uint named = 0;             // a bit for each of next, whether its pair names the target
    uint within_word = 0;       // two bits for each: its byte there
    uint i;
    [unroll] for (i = 0; i < kOfAThread; ++i) {
        row[i] = (i * kLanes + thread) / lanes;
        pair[i] = kNone;
        next[i] = (Element)0;
    }
    bool goes_on = walker < end;
    [loop] for (uint step = 0; goes_on; ++step) {
        if (thread == 0) rows_there = rows;
        GroupMemoryBarrierWithGroupSync();
        uint four;
        [unroll] for (four = 0; four < kOfAThread; four += 4) {
#if VALUES == VALUES_FLOATS
            uint4 wide;
            [unroll] for (i = 0; i < 4; ++i) wide[i] = next[four + i] >> 8 * (within_word >> 2 * (four + i) & 3) & element_mask();
            wide = widen(wide);
            [unroll] for (i = 0; i < 4; ++i) next[four + i] = named >> (four + i) & 1 ? wide[i] : kUnchanging;
#endif
            [unroll] for (i = four; i < four + 4; ++i) {
                staged[i * kLanes + thread] = next[i];
                if (!(named >> i & 1) && row[i] < rows) InterlockedMin(rows_there, row[i]);
            }
        }
        GroupMemoryBarrierWithGroupSync();
        uint count = rows_there;
        GroupMemoryBarrierWithGroupSync();
        goes_on = step < 2 || count == rows;
        named = within_word = 0;
        [unroll] for (four = 0; four < kOfAThread; four += 4) {
            uint4 position = 0;
            uint4 lane;
            [unroll] for (i = 0; i < 4; ++i) {
                uint k = four + i;
                bool is_named = pair[k].x == target && row[k] < rows && walker - rows + row[k] < end;
                if (is_named) position[i] = pair[k].y;
                named |= is_named ? 1u << k : 0;
                lane[i] = k * kLanes + thread - row[k] * lanes;
                pair[k] = pairs.Load2(8 * min(walker + row[k], arguments.w - 1));
            }
            uint4 item = find_items(position) + (part * kLanes + lane) * arguments.z;
#if VALUES == VALUES_FLOATS
            [unroll] for (i = 0; i < 4; ++i) {
                next[four + i] = items.Load(item[i] & ~3u);
                within_word |= (item[i] & 3) << 2 * (four + i);
            }
#else
            [unroll] for (i = 0; i < 4; ++i) next[four + i] = load_element(items, item[i]);
#endif
        }
        walker += rows;
        [branch] if (combines) value = combine_rows(value, thread, lanes, count);
    }
#if VALUES == VALUES_FLOATS
    value = narrow(value);
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
    uint begin = block * block_pairs();
    uint next = begin + block_pairs();
    uint target = kNone;
    [loop] for (uint side = is_shared() ? 0 : 1; side < 2; ++side) {
        uint first = find_run(begin, thread, side == 0, target);
        walk(first, is_shared() ? min(next, arguments.w) : arguments.w, target, part, thread);
    }
}
