// float32 arithmetic on bits: in integers wherever Direct3D may flush denormals or leaves NaNs open. Rounds to nearest
// even, as Direct3D does. Of NaNs the left one stays, made quiet, else the right one; a NaN out of none has the sign
// set, as on x86.

#include "wide.hlsli"

static const uint kSign = 0x80000000;
static const uint kInfinity = 0x7f800000;
static const uint kQuiet = 0x00400000;
static const uint kNewNan = 0xffc00000;

uint magnitude_of(uint bits) { return bits & ~kSign; }
bool is_nan(uint bits) { return magnitude_of(bits) > kInfinity; }

// Numbers that no implementation flushes, and results that none has flushed or overflowed.
bool is_normal(uint bits) { return magnitude_of(bits) - 0x00800000 < kInfinity - 0x00800000; }
bool is_plain(uint bits) { return is_normal(bits) || magnitude_of(bits) == 0; }

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

uint significand_of(uint bits) {
    return (bits & 0x007fffff) | ((bits & kInfinity) != 0 ? 0x00800000 : 0);
}

uint add_in_integers(uint left, uint right) {
    bool swapped = magnitude_of(left) < magnitude_of(right);
    uint large = swapped ? right : left;
    uint small = swapped ? left : right;
    bool subtracts = ((large ^ small) & kSign) != 0;
    uint result;
    if (magnitude_of(large) == kInfinity) {
        result = subtracts && magnitude_of(small) == kInfinity ? kNewNan : large;
    } else {
        int exponent = max((int)(magnitude_of(large) >> 23), 1);
        int below = exponent - max((int)(magnitude_of(small) >> 23), 1);
        uint sum = significand_of(large) << 6;
        uint part = shift_right_sticky(significand_of(small) << 6, (uint)below);
        sum = subtracts ? sum - part : sum + part;
        if (sum == 0) {
            result = left & right & kSign;
        } else {
            if (sum >= 1u << 30) {
                sum = shift_right_sticky(sum, 1);
                exponent += 1;
            } else {
                int up = min(29 - (int)firstbithigh(sum), exponent - 1);
                sum <<= (uint)up;
                exponent -= up;
            }
            result = round_and_pack(large & kSign, exponent, sum);
        }
    }
    return result;
}

uint add_numbers(uint left, uint right) {
    precise float sum = asfloat(left) + asfloat(right);
    bool are_zeros = magnitude_of(left | right) == 0;  // what tables are at first, and often updates
    uint result = are_zeros ? left & right : asuint(sum);
    [branch] if (!(is_plain(left) && is_plain(right) && (are_zeros || is_normal(result)))) {
        result = add_in_integers(left, right);
    }
    return result;
}

// A finite number's significand in [2^23, 2^24) and its exponent, which may be less than 1.
void normalize(uint bits, out uint significand, out int exponent) {
    significand = significand_of(bits);
    exponent = max((int)(magnitude_of(bits) >> 23), 1);
    int up = 23 - (int)firstbithigh(significand);
    significand <<= (uint)up;
    exponent -= up;
}

uint multiply_in_integers(uint left, uint right) {
    uint sign = (left ^ right) & kSign;
    uint a = magnitude_of(left);
    uint b = magnitude_of(right);
    uint result = sign;
    if (a == kInfinity || b == kInfinity) {
        result = a == 0 || b == 0 ? kNewNan : sign | kInfinity;
    } else if (a != 0 && b != 0) {
        uint left_significand, right_significand;
        int left_exponent, right_exponent;
        normalize(a, left_significand, left_exponent);
        normalize(b, right_significand, right_exponent);
        uint2 product = multiply_words(left_significand, right_significand);
        uint significand = product.y << 15 | product.x >> 17 | ((product.x & 0x1ffff) != 0 ? 1 : 0);
        int exponent = left_exponent + right_exponent - 127;
        if (significand >= 1u << 30) {
            significand = shift_right_sticky(significand, 1);
            exponent += 1;
        }
        if (exponent < 1) {
            significand = shift_right_sticky(significand, (uint)(1 - exponent));
            exponent = 1;
        }
        result = round_and_pack(sign, exponent, significand);
    }
    return result;
}

uint multiply_numbers(uint left, uint right) {
    precise float product = asfloat(left) * asfloat(right);
    uint result = asuint(product);
    [branch] if (!(is_plain(left) && is_plain(right) && is_normal(result))) {
        result = multiply_in_integers(left, right);
    }
    return result;
}

// Whether left < right; neither is a NaN, and zeros are equal.
bool is_less(uint left, uint right) {
    uint a = (left & kSign) != 0 ? ~left : left | kSign;
    uint b = (right & kSign) != 0 ? ~right : right | kSign;
    return magnitude_of(left | right) != 0 && a < b;
}

uint widen_half(uint half) {
    uint sign = (half & 0x8000) << 16;
    uint exponent = half >> 10 & 0x1f;
    uint mantissa = half & 0x3ff;
    uint bits = 0;
    if (exponent != 0) {
        bits = (exponent == 0x1f ? 0xff : exponent + (127 - 15)) << 23 | mantissa << 13;
    } else if (mantissa != 0) {  // a multiple of 2^-24
        uint top = firstbithigh(mantissa);
        bits = ((top + (127 - 24)) << 23) | (mantissa << (23 - top) & 0x007fffff);
    }
    return sign | bits;
}

uint narrow_half(uint bits) {
    uint magnitude = magnitude_of(bits);
    uint half;
    if (magnitude > kInfinity) {
        half = 0x7e00 | (magnitude >> 13 & 0x3ff);
    } else if (magnitude >= 0x477ff000) {  // rounds past 65504, or infinite
        half = 0x7c00;
    } else if (magnitude >= 0x38800000) {  // a normal number
        half = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    } else {  // a multiple of 2^-24
        uint down = min(126 - (magnitude >> 23), 31);
        uint significand = significand_of(magnitude);
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
