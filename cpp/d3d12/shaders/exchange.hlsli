// Elements of at most a word that are combined with the table's by many threads at once, in any order. pattern[0].y: a
// word of elements that change nothing (combine_each).

uint element_mask() { return arguments.z < 4 ? (1u << 8 * arguments.z) - 1 : 0xffffffff; }

// A word's elements, one by one. An empty one (pattern[0].y), which no element is changed by, leaves the other's bits; but
// those of own's floats, the first one's bit being 1, are combined all the same, so that a NaN becomes a quiet one.
uint combine_each(uint old, uint update, uint own) {
    uint mask = element_mask();
    uint empty = pattern[0].y & mask;
    uint result = 0;
    [loop] for (uint shift = 0; shift < 32; shift += 8 * arguments.z) {
        uint a = old >> shift & mask;
        uint b = update >> shift & mask;
        uint value = a == empty ? b : a;
        [branch] if ((own >> shift / 16 & 1) || (a != empty && b != empty)) value = trim(combine(a, b));
        result |= value << shift;
    }
    return result;
}

// The word of an update in which all other elements are empty.
uint word_of(uint offset, uint update) {
    uint own = 8 * (offset & 3);
    return (pattern[0].y & ~(element_mask() << own)) | update << own;
}

// A word's offset, and in the lowest bits own, as combine_each has it: of the float that is at the offset.
uint own_word(uint offset) { return (offset & ~3u) | 1u << (offset & 3) / 2; }

// Threads that meet at a word do not wait for each other: one takes what is there and leaves the word empty, and puts
// back what both come to. What others have put there meanwhile it gets for it, and goes on with that. word: its offset,
// and own in the lowest bits.
void combine_word(uint word, uint hand) {
    uint empty = pattern[0].y;
    uint own = word & 3;
    bool done = false;
    [allow_uav_condition] while (!done) {
        uint there;
        table.InterlockedExchange(word & ~3u, empty, there);
        table.InterlockedExchange(word & ~3u, combine_each(there, hand, own), hand);
        own = 0;
        done = hand == empty;
    }
}
