// The indices of mode wrap as the places along their axes that they name, of 4 bytes each, four a thread: kernels that know
// of no wrap take those. Indices are packed. arguments: x how many there are.

#include "targets.hlsli"

Buffer<uint4> index_pieces : register(t2);  // 16 bytes of the indices each
RWBuffer<uint4> places : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint first = 4 * thread_id(group, thread);
    if (first >= arguments.x) return;
    uint4 number = first + uint4(0, 1, 2, 3);
    uint4 low, high, limit;
    uint i;
    [branch] if (index_bytes == 8) {
        uint4 pieces[2] = {index_pieces[first / 2], index_pieces[first / 2 + 1]};
        low = uint4(pieces[0].xz, pieces[1].xz);
        high = uint4(pieces[0].yw, pieces[1].yw);
    } else if (index_bytes == 4) {
        low = index_pieces[first / 4];
        high = index_signed ? asuint(asint(low) >> 31) : 0;
    } else {
        [unroll] for (i = 0; i < 4; ++i) low[i] = index_word(number[i] * index_bytes);
        widen_indices(number * index_bytes, low, high);
    }
    [unroll] for (i = 0; i < 4; ++i) limit[i] = coordinates[number[i] % coordinate_count].limit;
    bool4 negative = index_signed && asint(high) < 0;
    uint4 place = low + (negative ? limit : 0);
    bool4 outside = !(place < limit && high == (negative ? 0xffffffff : 0));
    [branch] if (any(outside)) {
        low = negative ? 0u - low : low;
        high = negative ? ~high + (low == 0 ? 1 : 0) : high;
        uint4 rest = low % limit;
        [branch] if (any(outside && high != 0)) {  // as remainder() in plan.hlsli
            rest = high % limit;
            [loop] for (uint bit = 32; bit-- > 0;) rest = (rest << 1 | (low >> bit & 1)) % limit;
        }
        rest = negative && rest != 0 ? limit - rest : rest;
        place = outside ? rest : place;
    }
    places[first / 4] = place;
}
