// Sums, products, minima and maxima of floats, and of integers of 4 bytes, along short lines of the table: a thread a line
// goes through its positions in order; or several lanes a line, each through some of its positions, which is any order. A
// lane has the line's elements in the group's memory to itself. dims are those of the lines; the table's strides are in elements, the coordinate's is 1.
// arguments: x to z as in value.hlsli, w the positions of a line. pattern[0]: x the lines, y those of a group, z the
// elements of a line, w from one to the next in the table, or 0 where lines follow each other without gaps; pattern[1]: x
// and y from one position to the next in items and indices, z the lanes of a line, 2 to the power of it, w an element that
// changes none. Everything is fetched in fours: a thread waits for the memory once for four.

#define WITH_INTEGERS 1
#define WRAPS 0
#include "value.hlsli"
#include "targets.hlsli"

RWBuffer<uint2> stored : register(u0);  // of lines that follow each other words, else elements: R16 or R32

// add_lines: for short lines, of which groups need so little memory that more of them are at work, and that most of it is
// left to the cache that everything else is read through.
#if SUMS_ONLY
#define HELD_BYTES kShortLineBytes
#else
#define HELD_BYTES kLineBytes
#endif
groupshared uint held[HELD_BYTES / 4];

// What both are together.
uint combined(uint old, uint update) {
    uint result;
    [branch] if (arguments.x < kValueFloat16) {
        result = combine_words(old, update);
    } else {
        result = trim(combine(old, update));
    }
    return result;
}

// What the lanes of a line have for an element, which lies at `first` for the first of them: each thread begins with
// another one, so that they use all of the memory's banks.
uint sum_of_lanes(uint first, uint step, uint thread) {
    uint lanes = 1u << pattern[1].z;
    uint unchanging = pattern[1].w;
    uint sum = held[first + thread % lanes * step];
    [loop] for (uint i = 1; i < lanes; ++i) {
        uint other = held[first + (thread + i) % lanes * step];
        [branch] if (other != unchanging) {
            [branch] if (sum != unchanging) other = combined(sum, other);
            sum = other;
        }
    }
    return sum;
}

// The elements of the group's lines that follow each other, from the words that they are in: `count` words.
void load_rows(uint first_word, uint count, uint thread) {
    uint shift = pattern[1].z;
    uint parts = arguments.z == 4 ? 1 : 2;
    [loop] for (uint w = thread; w < count; w += 4 * GROUP) {
        uint words[4];
        uint i;
        [unroll] for (i = 0; i < 4; ++i) words[i] = source.Load(4 * (first_word + min(w + i * GROUP, count - 1)));
        [unroll] for (i = 0; i < 4; ++i) {
            uint at = parts * min(w + i * GROUP, count - 1) << shift;
            held[at] = parts == 1 ? words[i] : words[i] & 0xffff;
            if (parts == 2) held[at + (1u << shift)] = words[i] >> 16;
        }
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint size = arguments.z;
    uint count = pattern[0].z;
    uint shift = pattern[1].z;
    uint lanes = 1u << shift;
    bool in_rows = pattern[0].w == 0;
    uint most = pattern[0].y;
    uint first = min(group_id(group) * most, pattern[0].x);
    uint lines = failed() ? 0 : min(most, pattern[0].x - first);
    // In rows the lanes of a line are neighbours, in columns the lines.
    uint own = in_rows ? thread >> shift : thread % most;
    uint lane = in_rows ? thread % lanes : thread / most;
    uint along = in_rows ? lanes : GROUP;  // from one element to the next in the group's memory
    uint begin = in_rows ? (own * count << shift) + lane : thread;
    bool walks = own < lines && lane < lanes;
    Place start = locate(min(first + own, pattern[0].x - 1));
    uint first_word = first * count * size / 4;
    uint words = (lines * count * size + 3) / 4;
    uint e;
    [branch] if (lane != 0) {
        [loop] for (e = 0; e < count; ++e) {
            if (walks) held[begin + e * along] = pattern[1].w;
        }
    }
    [branch] if (in_rows) {
        load_rows(first_word, words, thread);
    } else if (walks && lane == 0) {
        [loop] for (e = 0; e < count; e += 4) {
            uint values[4];
            uint j;
            [unroll] for (j = 0; j < 4; ++j) {
                values[j] = load_element(source, (start.table + min(e + j, count - 1) * pattern[0].w) * size);
            }
            [unroll] for (j = 0; j < 4; ++j) held[begin + min(e + j, count - 1) * GROUP] = values[j];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    [branch] if (walks) {
        [loop] for (uint i = lane; i < arguments.w; i += 4 * lanes) {
            uint4 position = i + uint4(0, 1, 2, 3) * lanes;
            bool4 named = position < arguments.w;
            position = named ? position : i;
            uint4 item = start.item + position * pattern[1].x;
            uint4 updates;
            uint k;
            [unroll] for (k = 0; k < 4; ++k) updates[k] = load_element(items, item[k]);
            uint4 target = add_coordinate(0, start.index + position * pattern[1].y, named);
            [loop] for (k = 0; k < 4; ++k) {
                bool4 one = named && uint4(0, 1, 2, 3) == k;
                [branch] if (any(one)) {
                    uint at = begin + pick(target, one) * along;
                    held[at] = combined(held[at], pick(updates, one));
                }
            }
        }
    }
    GroupMemoryBarrierWithGroupSync();
    // What is stored at once: a word of rows, or an element of a column.
    uint parts = in_rows && size < 4 ? 2 : 1;
    uint stop = in_rows ? words : walks ? count : 0;
    [loop] for (uint at = in_rows ? thread : lane; at < stop; at += in_rows ? GROUP : lanes) {
        uint word = 0;
        [loop] for (uint i = 0; i < parts; ++i) {
            uint of_lanes = in_rows ? (parts * at + i) << shift : at * GROUP + own;
            uint element = held[of_lanes];  // one behind the lines, which shares a word with their last, stays
            [branch] if (!in_rows || parts * at + i < lines * count) {
                element = sum_of_lanes(of_lanes, in_rows ? 1 : most, thread);
            }
            word |= element << 16 * i;
        }
        stored[in_rows ? first_word + at : start.table + at * pattern[0].w] = word;
    }
}
