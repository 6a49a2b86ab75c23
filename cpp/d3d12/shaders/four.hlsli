// The places of four neighbouring positions of single elements: what the elementwise kernels begin with. INDEX: bytes
// of an index, 1, 4 or 8; COORDINATES: numbers of a tuple, 1 to 3. Indices and items are packed, there is no wrap, and
// arguments.x is the number of positions. Positions are lines: dims[0] says how many and how far they are apart in the
// table, dims[1] the same of the positions in a line; the table's strides are in elements. rank is 1 if there is one
// line, 2 if lines are whole fours, else 3.
//
// stripe_lines: the number of lines where the threads go down stripes of them, whose part of the table then stays in
// the GPU's cache; else 0. index_repeats: whether every line reads the same indices.
//
// These kernels are limited by their instructions where the table is small, so that a bad index, which is rare, has
// code of its own.

#include "constants.hlsli"

#define WORDS (INDEX * COORDINATES)  // four tuples have as many
#define STRIPE_THREADS 32

#if WORDS == 1
Buffer<uint> indices : register(t1);
#else
Buffer<uint4> indices : register(t1);
#endif

struct Four {
    uint first;    // position; the others follow it
    uint tuple;    // of the first; the others' follow it
    uint4 place;   // element of the table
    bool4 inside;  // else a bad index was clamped
};

bool is_there(Four four, uint i) { return four.first + i < arguments.x; }
// Whether the mode skips the position.
bool is_skipped(Four four, uint i) { return !four.inside[i] && mode == kSkip; }

uint2 index_of(uint words[WORDS], uint i, uint k) {
    uint at = (i * COORDINATES + k) * INDEX;
    uint2 value;
#if INDEX == 8
    value = uint2(words[at / 4], words[at / 4 + 1]);
#else
    uint unused = 32 - 8 * INDEX;
    uint top = words[at / 4] << (unused - 8 * (at % 4));
    value.x = index_signed ? asuint(asint(top) >> unused) : top >> unused;
    value.y = asuint(asint(value.x) >> 31);  // read only where numbers have a sign
#endif
    return value;
}

// A tuple with a bad index: its part of the place. Notes what is bad.
uint place_outside(uint words[WORDS], uint i, uint tuple, bool there) {
    uint place = 0;
    [unroll] for (uint k = 0; k < COORDINATES; ++k) {
        uint limit = coordinates[k].x;
        uint2 value = index_of(words, i, k);
        if (!index_signed && INDEX < 8) value.y = 0;
        uint found = value.x + (is_negative(value) ? limit : 0);
        if (!is_inside(value, limit)) {
            found = clamped(value, limit);
            if (there) note_outside(limit, tuple * COORDINATES + k);
        }
        place += found * coordinates[k].y;
    }
    return place;
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
    } else if (rank > 1) {
        outer = inner / dims[1].x;
        inner -= outer * dims[1].x;
    }
    four.tuple = index_repeats ? inner : four.first;
    uint words[WORDS];
#if WORDS == 1
    words[0] = indices[four.tuple / 4];
#else
    [unroll] for (uint w = 0; w < WORDS; w += 4) {
        uint4 loaded = indices[four.tuple / 4 * (WORDS / 4) + w / 4];
        words[w] = loaded.x;
        words[w + 1] = loaded.y;
        words[w + 2] = loaded.z;
        words[w + 3] = loaded.w;
    }
#endif
    uint4 base = outer * dims[0].y + inner * dims[1].y + uint4(0, 1, 2, 3) * dims[1].y;
    if (rank > 2) {
        [unroll] for (uint b = 1; b < 4; ++b) {
            bool next = inner + b >= dims[1].x;  // lines shorter than four have no such kernel
            if (next) base[b] += dims[0].y - dims[1].x * dims[1].y;
        }
    }
    four.place = base;
    four.inside = true;
    uint sign_word = index_signed ? 0xffffffff : 0;
    [unroll] for (uint k = 0; k < COORDINATES; ++k) {
        uint limit = coordinates[k].x;
        uint from_end = sign_word & limit;
        [unroll] for (uint i = 0; i < 4; ++i) {
            uint2 value = index_of(words, i, k);
            uint place = value.x + (asint(value.y) < 0 ? from_end : 0);
            four.inside[i] = four.inside[i] && place < limit;
#if INDEX == 8
            four.inside[i] = four.inside[i] && (value.y == 0 || value.y == sign_word);
#endif
            four.place[i] += place * coordinates[k].y;
        }
    }
    if (!all(four.inside)) {
        [unroll] for (uint i = 0; i < 4; ++i) {
            if (!four.inside[i]) {
                four.place[i] = base[i] + place_outside(words, i, four.tuple + i, is_there(four, i));
            }
        }
    }
    return four;
}
