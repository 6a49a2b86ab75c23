// Copies thread_count pieces of 16 bytes, or fills them with the word arguments.x. arguments.y, if it is not 0: what the
// first word of winners is to be if there is a NaN of 16 bits.

#include "constants.hlsli"

#if !FILL
Buffer<uint4> from : register(t0);
RWByteAddressBuffer winners : register(WRITTEN(WINNERS_REGISTER));
#endif
RWBuffer<uint4> to : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= thread_count || failed()) return;
#if FILL
    to[id] = arguments.x;
#else
    uint4 piece = from[id];
    [branch] if (arguments.y) {
        uint4 largest = max(piece & 0x7fff, piece >> 16 & 0x7fff);
        [branch] if (any(largest > 0x7c00)) winners.Store(0, arguments.y);
    }
    to[id] = piece;
#endif
}
