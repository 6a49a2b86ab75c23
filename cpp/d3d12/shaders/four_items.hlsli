// Packed items, as they are stored by a thread that has found four elements. ELEMENT: their bytes, or 4 of less, which
// ITEM_BYTES then says.

#if ELEMENT == 8
typedef uint2 Element;
#else
typedef uint Element;
#endif

RWBuffer<uint4> items : register(u0);  // R32, RG32 or RGBA32: four elements, or two of 8 bytes

void store_four(Four four, Element a, Element b, Element c, Element d) {
    if (mode >= kModeSkip) {
        Element filler = (Element)pattern[0];
        a = four.inside.x ? a : filler;
        b = four.inside.y ? b : filler;
        c = four.inside.z ? c : filler;
        d = four.inside.w ? d : filler;
    }
    uint texel = four.first / 4;
#if ELEMENT < 8
    uint4 packed = uint4(a, b, c, d);
    if (ITEM_BYTES == 2) packed.xy = uint2(a | b << 16, c | d << 16);
    if (ITEM_BYTES == 1) packed.x = a | b << 8 | c << 16 | d << 24;
    items[texel] = packed;
#elif PAIRS
    items[four.first / 2] = uint4(a, b);
    [branch] if (four.third < arguments.x) items[four.third / 2] = uint4(c, d);
#else
    items[2 * texel] = uint4(a, b);
    items[2 * texel + 1] = uint4(c, d);
#endif
}
