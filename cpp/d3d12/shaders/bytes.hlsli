// Bytes that begin anywhere, 16 of them at once; and the rows that a group meets, of which each is located once.

#include "plan.hlsli"

static const uint kNowhere = 0xffffffff;  // a row that there is nothing of

Buffer<uint4> from : register(t0);

// Two pieces of 16 bytes, of which 16 bytes are wanted.
struct Bytes {
    uint4 low;
    uint4 high;
    uint offset;
};

// The 16 bytes from an offset in a slice on, which may begin before it; those that are not the slice's are any.
Bytes load_bytes(uint slice, int offset) {
    uint first = slice / 16;
    uint last = (slice + slice_units - 1) / 16;
    int begin = (int)slice + offset;
    Bytes bytes;
    bytes.offset = (uint)begin;
    bytes.low = from[(uint)clamp(begin >> 4, (int)first, (int)last)];
    bytes.high = from[(uint)clamp((begin + 15) >> 4, (int)first, (int)last)];
    return bytes;
}

uint4 joined(Bytes bytes) {
    uint4 low = bytes.low;
    uint4 high = bytes.high;
    if (bytes.offset & 4) {
        low = uint4(low.yzw, high.x);
        high = uint4(high.yzw, 0);
    }
    if (bytes.offset & 8) {
        low = uint4(low.zw, high.xy);
        high = high.zwzw;
    }
    uint bits = 8 * (bytes.offset & 3);
    if (bits != 0) low = low >> bits | uint4(low.yzw, high.x) << 32 - bits;
    return low;
}
