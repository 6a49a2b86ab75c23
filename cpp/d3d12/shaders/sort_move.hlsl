// Reductions, step 4: every pair goes to its place. Which of the group's threads hold a digit is kept as bits, so
// that a thread counts those before it: equal digits stay in order.

#include "sort.hlsli"

#define WORDS (kDigits / 32)

RWByteAddressBuffer sorted : register(u1);

groupshared uint holders[WORDS * kDigits];
groupshared uint places[kDigits];

[numthreads(kDigits, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint count = pair_count();
    uint block = group_id(group);
    uint word = thread / 32;
    uint bit = 1u << (thread % 32);
    uint total = counts.Load(4 * (arguments.z * kDigits + thread));
    places[thread] = total;
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint reach = 1; reach < kDigits; reach *= 2) {  // what smaller digits take
        uint below = thread >= reach ? places[thread - reach] : 0;
        GroupMemoryBarrierWithGroupSync();
        places[thread] += below;
        GroupMemoryBarrierWithGroupSync();
    }
    places[thread] -= total;
    [branch] if (block < arguments.z) places[thread] += counts.Load(4 * (block * kDigits + thread));
    [loop] for (uint round = 0; round < arguments.w; ++round) {
        uint w;
        [unroll] for (w = 0; w < WORDS; ++w) holders[w * kDigits + thread] = 0;
        GroupMemoryBarrierWithGroupSync();
        uint i = (block * arguments.w + round) * kDigits + thread;
        uint2 pair = 0;
        [branch] if (i < count) {
            pair = pairs.Load2(8 * i);
            InterlockedOr(holders[word * kDigits + digit_of(pair.x)], bit);
        }
        GroupMemoryBarrierWithGroupSync();
        if (i < count) {
            uint digit = digit_of(pair.x);
            uint place = places[digit] + countbits(holders[word * kDigits + digit] & (bit - 1));
            [loop] for (w = 0; w < word; ++w) place += countbits(holders[w * kDigits + digit]);
            sorted.Store2(8 * place, pair);
        }
        GroupMemoryBarrierWithGroupSync();
        [unroll] for (w = 0; w < WORDS; ++w) {
            places[thread] += countbits(holders[w * kDigits + thread]);
        }
        GroupMemoryBarrierWithGroupSync();
    }
}
