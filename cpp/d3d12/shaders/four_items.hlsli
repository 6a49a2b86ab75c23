// Packed items, as they are stored by a thread that has found four elements of ELEMENT bytes.

#if ELEMENT == 8
typedef uint2 Element;
#else
typedef uint Element;
#endif

#if ELEMENT == 1
RWBuffer<uint> items : register(u0);
#elif ELEMENT == 2
RWBuffer<uint2> items : register(u0);
#else
RWBuffer<uint4> items : register(u0);
#endif

void store_four(Four four, Element a, Element b, Element c, Element d) {
    if (mode >= kModeSkip) {
        Element filler = (Element)pattern[0];
        a = four.inside.x ? a : filler;
        b = four.inside.y ? b : filler;
        c = four.inside.z ? c : filler;
        d = four.inside.w ? d : filler;
    }
    uint texel = four.first / 4;
#if ELEMENT == 1
    items[texel] = a | b << 8 | c << 16 | d << 24;
#elif ELEMENT == 2
    items[texel] = uint2(a | b << 16, c | d << 16);
#elif ELEMENT == 4
    items[texel] = uint4(a, b, c, d);
#elif PAIRS
    items[four.first / 2] = uint4(a, b);
    [branch] if (four.third < arguments.x) items[four.third / 2] = uint4(c, d);
#else
    items[2 * texel] = uint4(a, b);
    items[2 * texel + 1] = uint4(c, d);
#endif
}
