// Copies thread_count pieces of 16 bytes, or fills them with the word arguments.x.

#include "constants.hlsli"

#if !FILL
Buffer<uint4> from : register(t0);
#endif
RWBuffer<uint4> to : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id >= thread_count || failed()) return;
#if FILL
    to[id] = arguments.x;
#else
    to[id] = from[id];
#endif
}
