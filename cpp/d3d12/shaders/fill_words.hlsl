// Fills scratch memory with the word arguments.x, one word a thread.

#include "plan.hlsli"

RWByteAddressBuffer scratch : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id < thread_count) scratch.Store(4 * id, arguments.x);
}
