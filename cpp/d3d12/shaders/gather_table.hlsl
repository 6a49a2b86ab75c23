// gather_singles.hlsl where indices are the only way through a table, along short lines without gaps: a group holds
// what it reads of the table in its own memory, where reading from anywhere costs least, and goes through many
// positions of one line. arguments: y fours of positions in a line, z rounds (of the group's threads, a four each), w
// elements of the table that a line reads.
//
// HELD_KIB: of the group's memory; the less it takes, the more groups run side by side. BEYOND: the line has more
// elements than fit; a view has them all, or with TEXTURED a texture.

#if HELD_KIB == 4
#define GROUP kGroupOf4KiB
#elif HELD_KIB == 16
#define GROUP kGroupOf16KiB
#else
#define GROUP kGroupOf32KiB
#endif

#define HELD_WORDS (HELD_KIB * 256)  // an element each, or several

// Elements of 2 bytes in 16 KiB: or of one, as target_bytes says.
#if HELD_KIB == 16 && ELEMENT == 2
#define ITEM_BYTES target_bytes
#else
#define ITEM_BYTES ELEMENT
#endif

#if ELEMENT == 1 && INDEX < 8
#define IN_FLIGHT kInFlightOfBytes
#else
#define IN_FLIGHT kInFlight
#endif

// A four after the other is a third less code than side by side, and as quick but for these.
#if INDEX == 4 && HELD_KIB == 16
#define EACH_IN_FLIGHT [unroll]
#else
#define EACH_IN_FLIGHT [loop]
#endif

#pragma warning(disable : 4714)  // FXC counts registers as GPUs of 2009 had them
#include "four.hlsli"
#include "four_items.hlsli"

// Elements of 4 bytes in 32 KiB: or of less, as target_bytes says, of which a word then has as many as in the table.
#define PACKS (HELD_KIB == 32 && !BEYOND)
#if PACKS
#undef ITEM_BYTES
#define ITEM_BYTES target_bytes
#endif

Buffer<uint4> table : register(t0);  // where a line begins, so does a texel
#if TEXTURED
#include "texture.hlsli"
Texture2D<Element> all : register(t2);
Element find_beyond(uint place) { return all.Load(int3(texel_of(place), 0)); }
#elif BEYOND
Buffer<Element> all : register(t2);
Element find_beyond(uint place) { return all[place]; }
#endif

groupshared Element held[HELD_WORDS];

uint item_mask() { return (1u << 8 * (ITEM_BYTES % 4)) - 1; }  // of less than a word

void hold(uint line_begin, uint count, uint thread) {
    uint texels = (count * ITEM_BYTES + 15) / 16;
    [loop] for (uint t = thread; t < texels; t += GROUP) {
        uint4 loaded = table[line_begin * ITEM_BYTES / 16 + t];
        uint w;
#if ELEMENT == 4
        [unroll] for (w = 0; w < 4; ++w) held[4 * t + w] = loaded[w];
#else
        uint in_word = 4 / ITEM_BYTES;
        [loop] for (uint i = 0; i < in_word; ++i) {
            [unroll] for (w = 0; w < 4; ++w) {
                held[(4 * t + w) * in_word + i] = loaded[w] >> 8 * ITEM_BYTES * i & item_mask();
            }
        }
#endif
    }
}

Element find(uint line_begin, uint place) {
#if BEYOND
    Element value;
    [branch] if (place < HELD_WORDS) {
        value = held[place];
    } else {
        value = find_beyond(line_begin + place);
    }
    return value;
#else
    return held[place];
#endif
}

#if PACKS
void store_packed(Four four) {
    uint4 byte = four.place * ITEM_BYTES;
    uint4 found;
    [unroll] for (uint i = 0; i < 4; ++i) found[i] = held[byte[i] / 4] >> 8 * (byte[i] % 4) & item_mask();
    if (mode >= kModeSkip) found = four.inside ? found : pattern[0].x;
    found.xz |= found.yw << 8 * ITEM_BYTES;
    found.y = found.z;
    if (ITEM_BYTES == 1) found.x |= found.z << 16;
    items[four.first / 4] = found;
}
#endif

uint tuple_of(uint number, uint line_first) { return 4 * (index_repeats ? number - line_first : number); }

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (is_left_over(group)) return;
    uint round = arguments.z * GROUP;
    uint groups = (arguments.y + round - 1) / round;  // for each line
    uint line_number = group_id(group) / groups;
    uint line_begin = line_number * dims[0].table_stride;
#if BEYOND
    hold(line_begin, min(arguments.w, HELD_WORDS), thread);
#else
    hold(line_begin, arguments.w, thread);
#endif
    GroupMemoryBarrierWithGroupSync();
    if (failed()) return;

    uint begin = line_number * arguments.y;
    uint at = begin + (group_id(group) - line_number * groups) * round + thread;
    uint end = min(at + round, begin + arguments.y);
    [loop] for (; at < end; at += IN_FLIGHT * GROUP) {
        uint words[IN_FLIGHT][WORDS];
        uint f;
        [unroll] for (f = 0; f < IN_FLIGHT; ++f) {
            [unroll] for (uint w = 0; w < WORDS; ++w) words[f][w] = 0;
            uint four_number = at + f * GROUP;
            [branch] if (four_number < end) load_words(tuple_of(four_number, begin), words[f]);
        }
        EACH_IN_FLIGHT for (f = 0; f < IN_FLIGHT; ++f) {
            uint four_number = at + f * GROUP;
            if (four_number < end) {
                Four four;
                four.first = 4 * four_number;
                four.tuple = tuple_of(four_number, begin);
                four.place = 0;
                four.inside = true;
                add_coordinates(four, words[0]);
#if PACKS
                [branch] if (ITEM_BYTES < 4) {
                    store_packed(four);
                } else
#endif
                    store_four(four, find(line_begin, four.place.x), find(line_begin, four.place.y),
                               find(line_begin, four.place.z), find(line_begin, four.place.w));
            }
            [unroll] for (uint next = 1; next < IN_FLIGHT; ++next) words[next - 1] = words[next];
        }
    }
}
