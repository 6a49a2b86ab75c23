// A unit is what one step of a move carries: UNIT bytes, 1, 2, 4 or 16. Units lie at multiples of their size.

#if UNIT == 16
typedef uint4 Unit;
#else
typedef uint Unit;
#endif

Unit load_unit(RWByteAddressBuffer buffer, uint offset) {
#if UNIT == 16
    return buffer.Load4(offset);
#elif UNIT == 4
    return buffer.Load(offset);
#else
    return buffer.Load(offset & ~3u) >> 8 * (offset & 3) & ((1u << 8 * UNIT) - 1);
#endif
}

// Narrow units share their word with others that may be written at the same time.
void store_unit(RWByteAddressBuffer buffer, uint offset, Unit value) {
#if UNIT == 16
    buffer.Store4(offset, value);
#elif UNIT == 4
    buffer.Store(offset, value);
#else
    uint shift = 8 * (offset & 3);
    uint mask = ((1u << 8 * UNIT) - 1) << shift;
    uint expected = buffer.Load(offset & ~3u);
    bool stored = false;
    [allow_uav_condition] while (!stored) {
        uint found;
        buffer.InterlockedCompareExchange(offset & ~3u, expected,
                                          (expected & ~mask) | (value << shift), found);
        stored = found == expected;
        expected = found;
    }
#endif
}
