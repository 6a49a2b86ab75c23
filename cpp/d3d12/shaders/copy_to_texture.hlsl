// A table of words becomes a texture, a word a thread.

#include "constants.hlsli"
#include "texture.hlsli"

Buffer<uint> table : register(t0);
RWTexture2D<uint> image : register(u1);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint id = thread_id(group, thread);
    if (id < thread_count) image[texel_of(id)] = table[id];
}
