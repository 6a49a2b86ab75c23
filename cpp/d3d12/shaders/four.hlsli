// The places of four positions of single elements: what the elementwise kernels begin with. INDEX: bytes
// of an index, 1, 4 or 8; COORDINATES: numbers of a tuple, 1 to 3. Indices and items are packed, there is no wrap, and
// arguments.x is the number of positions. Positions are lines: dims[0] says how many and how far they are apart in the
// table, dims[1] the same of the positions in a line; the table's strides are in elements. rank is 1 if there is one
// line, 2 if lines are whole fours, else 3.
//
// The four are neighbours. PAIRS: two of them are, and two more that are 2 · kStripeThreads behind, so that threads beside
// each other read and store 16 bytes beside each other: the caches are gone through by lines, of which indices or
// elements of 8 bytes would take half of each twice. One coordinate, and no single bytes.
//
// stripe_lines: the number of lines where the threads go down stripes of them, whose part of the table then stays in
// the GPU's cache; else 0. index_repeats: whether every line reads the same indices.
//
// These kernels are limited by their instructions where the table is small, so that a bad index, which is rare, has
// code of its own.

#include "constants.hlsli"

#ifndef PAIRS
#define PAIRS 0
#endif
#define WORDS (INDEX * COORDINATES)  // four tuples have as many

#if WORDS == 1
Buffer<uint> indices : register(t1);
#else
Buffer<uint4> indices : register(t1);
#endif

struct Four {
    uint first;    // position; the others follow it
    uint tuple;    // of the first; the others' follow it
#if PAIRS
    uint third;  // position, with its tuple: the fourth follows it, the second the first
    uint third_tuple;
#endif
    uint4 place;    // element of the table
    bool4 inside;   // else a bad index was clamped, or kModeLinear has nothing there
    uint4 address;  // kModeLinear: what the place was before that was looked at
};

#if PAIRS
uint position_of(Four four, uint i) { return i < 2 ? four.first + i : four.third + i - 2; }
uint tuple_at(Four four, uint i) { return i < 2 ? four.tuple + i : four.third_tuple + i - 2; }
#else
uint position_of(Four four, uint i) { return four.first + i; }
uint tuple_at(Four four, uint i) { return four.tuple + i; }
#endif
bool is_there(Four four, uint i) { return position_of(four, i) < arguments.x; }
// Whether the mode skips the position.
bool is_skipped(Four four, uint i) { return !four.inside[i] && mode >= kModeSkip; }

// An index of INDEX bytes, sign-extended from the bits of words.
uint2 widened(uint word, uint byte) {
    uint unused = 32 - 8 * (INDEX % 8);
    uint top = word << (unused - 8 * byte);
    uint2 value;
    value.x = index_signed ? asuint(asint(top) >> unused) : top >> unused;
    value.y = asuint(asint(value.x) >> 31);  // read only where numbers have a sign
    return value;
}

uint2 index_of(uint words[WORDS], uint i, uint k) {
    uint at = (i * COORDINATES + k) * INDEX;
#if INDEX == 8
    return uint2(words[at / 4], words[at / 4 + 1]);
#else
    return widened(words[at / 4], at % 4);
#endif
}

// The index with a number, read once more.
uint2 index_again(uint number) {
#if WORDS == 1
    return widened(indices[number / 4], number % 4);
#elif INDEX == 8
    uint4 loaded = indices[number / 2];
    return number % 2 ? loaded.zw : loaded.xy;
#else
    uint at = number * INDEX;
    uint4 loaded = indices[at / 16];
    uint2 half = at & 8 ? loaded.zw : loaded.xy;
    return widened(at & 4 ? half.y : half.x, at % 4);
#endif
}

// The k-th coordinate's part of the place of a tuple with a bad index. Notes what is bad.
uint part_outside(uint tuple, uint k, bool there) {
    uint limit = coordinates[k].limit;
    uint number = tuple * COORDINATES + k;
    uint2 value = index_again(number);
    if (!index_signed && INDEX < 8) value.y = 0;
    uint found = value.x + (is_negative(value) ? limit : 0);
    if (!is_inside(value, limit)) {
        found = clamped(value, limit);
        if (there) note_outside(limit, number);
    }
    return found * coordinates[k].table_stride;
}

// Where neighbouring positions are, before their indices are known.
struct Spot {
    uint outer;  // line
    uint inner;  // of the first position in its line
    uint first;
    uint tuple;
};

// part: with PAIRS, which one.
Spot spot_of(uint id, uint part) {
    uint thread = id % kStripeThreads;
    uint within = PAIRS ? 2 * (part * kStripeThreads + thread) : 4 * thread;
    Spot spot;
    spot.outer = 0;
    spot.inner = PAIRS ? 4 * (id - thread) + within : 4 * id;
    spot.first = spot.inner;
    if (stripe_lines != 0) {
        uint walked = id / kStripeThreads;  // lines of all stripes
        uint stripe = walked / stripe_lines;
        spot.outer = walked - stripe * stripe_lines;
        spot.inner = 4 * stripe * kStripeThreads + within;
        spot.first = spot.inner < dims[1].size ? spot.outer * dims[1].size + spot.inner : arguments.x;
    } else if (rank > 1) {
        spot.outer = spot.inner / dims[1].size;
        spot.inner -= spot.outer * dims[1].size;
    }
    spot.tuple = index_repeats ? spot.inner : spot.first;
    return spot;
}

void load_words(uint tuple, out uint words[WORDS]) {
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
}

// Adds the coordinates to the places.
void add_coordinates(inout Four four, uint words[WORDS]) {
    uint4 base = four.place;
    uint sign_word = index_signed ? 0xffffffff : 0;
    [unroll] for (uint k = 0; k < COORDINATES; ++k) {
        uint limit = coordinates[k].limit;
        uint from_end = sign_word & limit;
        [unroll] for (uint i = 0; i < 4; ++i) {
            uint2 value = index_of(words, i, k);
            uint place = value.x + (asint(value.y) < 0 ? from_end : 0);
            four.inside[i] = four.inside[i] && place < limit;
#if INDEX == 8
            four.inside[i] = four.inside[i] && (value.y == 0 || value.y == sign_word);
#endif
            four.place[i] += place * coordinates[k].table_stride;
        }
    }
    four.address = four.place;
    if (mode == kModeLinear) {
        uint4 found = min(four.place, line_most);
        four.inside = found < line_present;
        four.place = four.inside ? found : 0;
    } else if (!all(four.inside)) {
        [loop] for (uint n = 0; n < 4 * COORDINATES; ++n) {
            uint j = n / COORDINATES;
            uint k = n % COORDINATES;
            bool4 here = uint4(0, 1, 2, 3) == j && !four.inside;
            if (any(here)) {
                uint4 found = (k == 0 ? base : four.place) + part_outside(tuple_at(four, j), k, is_there(four, j));
                four.place = here ? found : four.place;
            }
        }
    }
}

#if PAIRS
Four locate_four(uint id) {
    Four four;
    uint words[WORDS];
    uint step = dims[1].table_stride;
    [unroll] for (uint part = 0; part < 2; ++part) {
        Spot spot = spot_of(id, part);
        uint2 place = spot.outer * dims[0].table_stride + spot.inner * step + uint2(0, step);
        bool next = rank > 2 && spot.inner + 1 >= dims[1].size;
        if (next) place.y += dims[0].table_stride - dims[1].size * step;
        uint4 loaded = indices[spot.tuple * INDEX / 16];
#if INDEX == 4
        if (spot.tuple % 4 != 0) loaded.xy = loaded.zw;
#endif
        [unroll] for (uint w = 0; w < WORDS / 2; ++w) words[part * WORDS / 2 + w] = loaded[w];
        if (part == 0) {
            four.first = spot.first;
            four.tuple = spot.tuple;
            four.place.xy = place;
        } else {
            four.third = spot.first;
            four.third_tuple = spot.tuple;
            four.place.zw = place;
        }
    }
    four.inside = true;
    add_coordinates(four, words);
    return four;
}
#else
Four locate_four(uint id) {
    Spot spot = spot_of(id, 0);
    uint words[WORDS];
    load_words(spot.tuple, words);
    Four four;
    four.first = spot.first;
    four.tuple = spot.tuple;
    uint step = dims[1].table_stride;
    four.place = spot.outer * dims[0].table_stride + spot.inner * step + uint4(0, 1, 2, 3) * step;
    if (rank > 2) {
        [unroll] for (uint b = 1; b < 4; ++b) {
            bool next = spot.inner + b >= dims[1].size;  // lines shorter than four have no such kernel
            if (next) four.place[b] += dims[0].table_stride - dims[1].size * step;
        }
    }
    four.inside = true;
    add_coordinates(four, words);
    return four;
}
#endif
