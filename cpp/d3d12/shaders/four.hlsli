// The places of four neighbouring positions of single elements: what the elementwise kernels begin with. INDEX: bytes
// of an index, 1, 4 or 8; COORDINATES: numbers of a tuple, 1 to 3. Indices and items are packed, there is no wrap, and
// arguments.x is the number of positions. dims[0] is the outer dim, dims[1] the inner one (rank 1: the only one); the
// table's strides are in elements.
//
// stripe_lines: the outer dim's size where the threads go down stripes of the inner one, whose part of the table then
// stays in the GPU's cache; else 0. index_repeats: whether each line of the outer dim reads the same indices.

#include "constants.hlsli"

#define WORDS (INDEX * COORDINATES)  // four tuples have as many
#define STRIPE_THREADS 32

#if WORDS == 1
Buffer<uint> indices : register(t1);
#else
Buffer<uint4> indices : register(t1);
#endif

struct Four {
    uint first;     // position; the others follow it
    bool4 there;    // whether the positions exist
    uint4 place;    // element of the table
    bool4 inside;   // else the mode skips it
};

uint2 index_of(uint words[WORDS], uint tuple, uint k) {
    uint at = (tuple * COORDINATES + k) * INDEX;
    uint2 value;
#if INDEX == 8
    value = uint2(words[at / 4], words[at / 4 + 1]);
#else
    uint unused = 32 - 8 * INDEX;
    uint top = words[at / 4] << (unused - 8 * (at % 4));
    value.x = index_signed ? asuint(asint(top) >> unused) : top >> unused;
    value.y = index_signed ? asuint(asint(value.x) >> 31) : 0;
#endif
    return value;
}

Four locate_four(uint id) {
    uint outer = 0;
    uint inner = 4 * id;
    Four four;
    four.first = inner;
    if (stripe_lines != 0) {
        uint walked = id / STRIPE_THREADS;  // lines of all stripes
        uint stripe = walked / stripe_lines;
        outer = walked - stripe * stripe_lines;
        inner = 4 * (stripe * STRIPE_THREADS + id % STRIPE_THREADS);
        four.first = inner < dims[1].x ? outer * dims[1].x + inner : arguments.x;
    } else if (rank == 2) {
        outer = inner / dims[1].x;
        inner -= outer * dims[1].x;
    }
    uint tuple = index_repeats ? inner : four.first;
    uint words[WORDS];
#if WORDS == 1
    words[0] = indices[tuple / 4];
#else
    [unroll] for (uint w = 0; w < WORDS; w += 4) {
        uint4 loaded = indices[tuple / 4 * (WORDS / 4) + w / 4];
        words[w] = loaded.x;
        words[w + 1] = loaded.y;
        words[w + 2] = loaded.z;
        words[w + 3] = loaded.w;
    }
#endif
    [unroll] for (uint i = 0; i < 4; ++i) {
        four.there[i] = four.first + i < arguments.x;
        four.place[i] = outer * dims[0].y + inner * dims[1].y;
        four.inside[i] = true;
        [unroll] for (uint k = 0; k < COORDINATES; ++k) {
            uint limit = coordinates[k].x;
            uint2 value = index_of(words, i, k);
            uint place = value.x + (is_negative(value) ? limit : 0);
            if (!is_inside(value, limit)) {
                place = clamped(value, limit);
                four.inside[i] = four.inside[i] && mode != kSkip;
                if (four.there[i]) note_outside(limit, (tuple + i) * COORDINATES + k);
            }
            four.place[i] += place * coordinates[k].y;
        }
        ++inner;
        if (inner == dims[1].x) {
            inner = 0;
            ++outer;
        }
    }
    return four;
}
