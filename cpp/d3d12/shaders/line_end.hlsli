// What a gather reads behind a linear plan's line: the last element, over and over, or zeros if that is not there. The
// kernel has table_word, the word of the table at a byte offset.

// The second word of an element of 8 bytes, or else any word.
uint word_behind(bool second) {
    uint word = 0;
    [branch] if (line_most < line_present) {
        uint offset = line_most << line_shift;
        word = table_word(offset + (second && line_shift == 3 ? 4 : 0)) >> 8 * (offset & 3);
        if (line_shift == 1) word = (word & 0xffff) * 0x10001;
        if (line_shift == 0) word = (word & 0xff) * 0x1010101;
    }
    return word;
}

#if UNIT == 16
uint4 unit_behind(uint unit) {
    uint2 words = uint2(word_behind(false), word_behind(true));
    return words.xyxy;
}
#elif UNIT == 4
uint unit_behind(uint unit) { return word_behind(unit % 2 == 1); }
#else
uint unit_behind(uint unit) {  // perhaps a part of an element
    uint at = unit * UNIT;
    return word_behind(at / 4 % 2 == 1) >> 8 * (at % 4) & ((1u << 8 * UNIT) - 1);
}
#endif
