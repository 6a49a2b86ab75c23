// accumulate.hlsl for a table of few words, which many updates name each: a group keeps them in its own memory until it
// is through, and then combines them with the table. A thread goes through neighbouring updates, and keeps a word as long
// as they name it. arguments: x to z as in value.hlsli, w the number of elements; pattern[0]: x the fours of a thread, y as
// in exchange.hlsli, z the words of the table. (A signalling NaN of the table stays one where it meets nothing but updates
// that change no number: a group does not know of those.)

#include "shared.h"

#define GROUP kAccumulated
#include "value.hlsli"
#include "targets.hlsli"
#include "exchange.hlsli"

groupshared uint held[kHeldWords];

// A NaN becomes a quiet one, as it does where it is combined.
uint quieted(uint update) {
    uint bit = arguments.x == kValueFloat16 ? 0x0200 : arguments.x == kValueBfloat16 ? 0x0040 : kQuiet;
    return is_nan(widen(update)) ? update | bit : update;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint empty = pattern[0].y;
    uint words = pattern[0].z;
    uint w;
    [loop] for (w = thread; w < words; w += GROUP) held[w] = empty;
    GroupMemoryBarrierWithGroupSync();
    uint count = 4 * pattern[0].x;
    uint first = thread_id(group, thread) * count;
    uint end = failed() ? 0 : arguments.w;
    uint4 offset = 0;
    uint4 update = 0;
    bool4 there = false;
    uint word = 0;
    uint hand = empty;
    // The step behind the updates puts down what is in hand.
    [loop] for (uint step = 0; step <= count; ++step) {
        [branch] if (step % 4 == 0) {
            uint4 id = first + step + uint4(0, 1, 2, 3);
            there = step < count && id < end;
            uint4 position = (there ? id : 0) / slice_units;
            uint4 within = (id - position * slice_units) * arguments.z;
            offset = find_targets(position, there) + within;
            uint4 item = find_items(position) + within;
            [unroll] for (uint i = 0; i < 4; ++i) {
                update[i] = 0;
                if (there[i]) update[i] = load_element(items, item[i]);
            }
        }
        bool4 here = there && uint4(0, 1, 2, 3) == step % 4;
        uint next = empty;
        uint next_word = word;
        [branch] if (any(here)) {
            uint at = pick(offset, here);
            next = word_of(at, quieted(pick(update, here)));
            next_word = at / 4;
        }
        // What names the word in hand is combined with it; else that goes to its place, in the same loop, so that the
        // kernel has the arithmetic once.
        bool joins = next_word == word && step < count;
        bool done = false;
        [loop] while (!done) {
            uint other = next;
            [branch] if (!joins) InterlockedExchange(held[word], empty, other);
            hand = combine_each(other, hand, kNoElement);
            [branch] if (!joins) {
                uint both = hand;
                InterlockedExchange(held[word], both, hand);
            }
            done = joins || hand == empty;
        }
        if (!joins) hand = next;
        word = next_word;
    }
    GroupMemoryBarrierWithGroupSync();
    [loop] for (w = thread; w < words; w += GROUP) {
        [branch] if (held[w] != empty) combine_word(4 * w, held[w], kNoElement);
    }
}
