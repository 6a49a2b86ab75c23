// float32 arithmetic on bits: in integers wherever Direct3D may flush denormals or leaves NaNs open. Rounds to nearest
// even, as Direct3D does. Of NaNs the left one stays, made quiet, else the right one; a NaN out of none has the sign
// set, as on x86.

#include "wide.hlsli"

static const uint kSign = 0x80000000;
static const uint kInfinity = 0x7f800000;
static const uint kQuiet = 0x00400000;
static const uint kNewNan = 0xffc00000;
static const uint kLeastSure = 0x0d800000;          // 2^-100
static const uint kLeastInfiniteHalf = 0x477ff000;  // 65520, which rounds past what a half can be

uint2 magnitudes_of(uint2 bits) { return bits & ~kSign; }
uint magnitude_of(uint bits) { return bits & ~kSign; }
bool is_nan(uint bits) { return magnitude_of(bits) > kInfinity; }

// value >> count, the last bit set if any bit set was lost.
uint shift_right_sticky(uint value, uint count) {
    uint result = value != 0 ? 1 : 0;
    if (count < 32) result = (value >> count) | ((value & ((1u << count) - 1)) != 0 ? 1 : 0);
    return result;
}

// significand is 2^29 times a number in [1, 2), or less than that where exponent is 1.
uint round_and_pack(uint sign, int exponent, uint significand) {
    uint rest = significand & 63;
    uint rounded = significand >> 6;
    rounded += rest > 32 || (rest == 32 && (rounded & 1) != 0) ? 1 : 0;
    uint bits = kInfinity;
    if (exponent < 255) bits = min(((uint)(exponent - 1) << 23) + rounded, kInfinity);
    return sign | bits;
}

uint2 significands_of(uint2 bits) {
    return (bits & 0x007fffff) | ((bits & kInfinity) != 0 ? 0x00800000 : 0);
}

// What is left of a sum or product to round: a number, as round_and_pack takes it, or bits that are the result already.
struct Unrounded {
    uint sign;
    int exponent;
    uint significand;
    bool is_done;
    uint done;
};

Unrounded add_in_integers(uint left, uint right) {
    bool swapped = magnitude_of(left) < magnitude_of(right);
    uint large = swapped ? right : left;
    uint small = swapped ? left : right;
    bool subtracts = ((large ^ small) & kSign) != 0;
    bool is_infinite = magnitude_of(large) == kInfinity;
    int2 exponents = max((int2)(magnitudes_of(uint2(large, small)) >> 23), 1);
    uint2 significands = significands_of(uint2(large, small)) << 6;
    uint part = shift_right_sticky(significands.y, (uint)(exponents.x - exponents.y));
    uint sum = subtracts ? significands.x - part : significands.x + part;
    Unrounded found;
    found.sign = large & kSign;
    found.exponent = exponents.x;
    found.is_done = is_infinite || sum == 0;
    found.done = left & right & kSign;
    if (is_infinite) found.done = subtracts && magnitude_of(small) == kInfinity ? kNewNan : large;
    if (sum >= 1u << 30) {
        sum = shift_right_sticky(sum, 1);
        found.exponent += 1;
    } else {
        int up = min(29 - (int)firstbithigh(sum), found.exponent - 1);
        sum <<= (uint)up;
        found.exponent -= up;
    }
    found.significand = sum;
    return found;
}

Unrounded multiply_in_integers(uint left, uint right) {
    uint2 magnitude = magnitudes_of(uint2(left, right));
    // As numbers in [2^23, 2^24), with exponents that may be less than 1.
    uint2 significands = significands_of(magnitude);
    int2 up = 23 + 127 - (int2)(asuint((float2)significands) >> 23);
    significands <<= (uint2)up;
    int2 exponents = max((int2)(magnitude >> 23), 1) - up;
    uint2 product = multiply_words(significands.x, significands.y);
    uint significand = product.y << 15 | product.x >> 17 | ((product.x & 0x1ffff) != 0 ? 1 : 0);
    int exponent = exponents.x + exponents.y - 127;
    uint down = significand >= 1u << 30 ? 1 : 0;
    exponent += down;
    if (exponent < 1) {
        down += (uint)(1 - exponent);
        exponent = 1;
    }
    Unrounded found;
    found.sign = (left ^ right) & kSign;
    found.exponent = exponent;
    found.significand = shift_right_sticky(significand, down);
    bool is_zero = any(magnitude == 0);
    bool is_infinite = any(magnitude == kInfinity);
    found.is_done = is_zero || is_infinite;
    found.done = is_infinite ? (is_zero ? kNewNan : found.sign | kInfinity) : found.sign;
    return found;
}

// A sum or product of numbers.
uint in_integers(uint left, uint right, bool adds) {
    Unrounded found;
    [branch] if (adds) {
        found = add_in_integers(left, right);
    } else {
        found = multiply_in_integers(left, right);
    }
    uint rounded = round_and_pack(found.sign, found.exponent, found.significand);
    return found.is_done ? found.done : rounded;
}

// Whether numbers are zeros, or cancel out, or one is a zero that is multiplied: what tables are at first, and often
// updates.
bool makes_zero(uint left, uint right, bool adds) {
    uint least = min(magnitude_of(left), magnitude_of(right));
    uint most = max(magnitude_of(left), magnitude_of(right));
    return most < kInfinity && (adds ? most == 0 || (left ^ right) == kSign : least == 0);
}

// What the hardware is sure to reckon rightly: a number that is far from where denormals count, of which a flushed one
// makes no such. (NaNs and infinities make none, either.)
bool is_sure(uint result) { return magnitude_of(result) - kLeastSure < kInfinity - kLeastSure; }

// Whether left < right; neither is a NaN, and zeros are equal.
bool is_less(uint left, uint right) {
    uint a = (left & kSign) != 0 ? ~left : left | kSign;
    uint b = (right & kSign) != 0 ? ~right : right | kSign;
    return magnitude_of(left | right) != 0 && a < b;
}

uint4 widen_halves(uint4 half) {
    uint4 exponent = half >> 10 & 0x1f;
    uint4 mantissa = half & 0x3ff;
    uint4 tiny = asuint((float4)mantissa * exp2(-24));
    uint4 large = (exponent == 0x1f ? 0xff : exponent + (127 - 15)) << 23 | mantissa << 13;
    return (half & 0x8000) << 16 | (exponent != 0 ? large : tiny);
}

uint narrow_half(uint bits) {
    uint magnitude = magnitude_of(bits);
    uint half;
    if (magnitude > kInfinity) {
        half = 0x7e00 | (magnitude >> 13 & 0x3ff);
    } else if (magnitude >= kLeastInfiniteHalf) {
        half = 0x7c00;
    } else if (magnitude >= 0x38800000) {  // a normal number
        half = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    } else {  // a multiple of 2^-24
        uint down = min(126 - (magnitude >> 23), 31);
        uint significand = significands_of(magnitude).x;
        uint rest = significand & ((1u << down) - 1);
        uint middle = 1u << (down - 1);
        half = significand >> down;
        half += rest > middle || (rest == middle && (half & 1) != 0) ? 1 : 0;
    }
    return (bits >> 16 & 0x8000) | half;
}

uint narrow_bfloat(uint bits) {
    uint result = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    if (is_nan(bits)) result = bits >> 16 | 0x40;  // rounding could carry a payload away
    return result;
}
