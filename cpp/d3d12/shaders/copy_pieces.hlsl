// Fills thread_count pieces of 16 bytes with the word arguments.x, or copies arguments.z of them: kCopied a thread, a group
// apart. arguments.y, if it is not 0: what the first word of winners is to be if there is a NaN of 16 bits.

#include "constants.hlsli"

#if !FILL
Buffer<uint4> from : register(t0);
RWByteAddressBuffer winners : register(WRITTEN(WINNERS_REGISTER));
#endif
RWBuffer<uint4> to : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
#if FILL
    uint id = thread_id(group, thread);
    if (id >= thread_count || failed()) return;
    to[id] = arguments.x;
#else
    uint first = group_id(group) * GROUP * kCopied + thread;
    if (first >= arguments.z || failed()) return;
    uint4 pieces[kCopied];
    uint i;
    [unroll] for (i = 0; i < kCopied; ++i) pieces[i] = from[min(first + i * GROUP, arguments.z - 1)];
    [branch] if (arguments.y) {
        uint4 largest = 0;
        [unroll] for (i = 0; i < kCopied; ++i) largest = max(largest, max(pieces[i] & 0x7fff, pieces[i] >> 16 & 0x7fff));
        [branch] if (any(largest > 0x7c00)) winners.Store(0, arguments.y);
    }
    [unroll] for (i = 0; i < kCopied; ++i) {
        if (first + i * GROUP < arguments.z) to[first + i * GROUP] = pieces[i];
    }
#endif
}
