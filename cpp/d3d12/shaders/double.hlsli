// float64 arithmetic on bits, (low, high), as float.hlsli has it for float32; all of it in integers.

#include "float.hlsli"

static const uint kInfinity64 = 0x7ff00000;  // as high words
static const uint kQuiet64 = 0x00080000;
static const uint2 kNewNan64 = uint2(0, 0xfff80000);

uint2 magnitude_of(uint2 bits) { return uint2(bits.x, bits.y & ~kSign); }
bool is_nan(uint2 bits) { return is_less(uint2(0, kInfinity64), magnitude_of(bits), 0); }
bool is_zero(uint2 bits) { return (bits.x | bits.y & ~kSign) == 0; }
int exponent_of(uint2 bits) { return max((int)(bits.y >> 20 & 0x7ff), 1); }

// count < 64, here and below
uint2 shift_left(uint2 value, uint count) {
    if (count >= 32) value = uint2(0, value.x);
    uint rest = count % 32;
    return uint2(value.x << rest, value.y << rest | value.x >> 1 >> (31 - rest));
}

// value >> count, the last bit set if any bit set was lost.
uint2 shift_right_sticky(uint2 value, uint count) {
    if (count >= 32) value = uint2(value.y | (value.x != 0 ? 1 : 0), 0);
    uint rest = count % 32;
    uint lost = value.x & ((1u << rest) - 1);
    return uint2(value.x >> rest | value.y << 1 << (31 - rest) | (lost != 0 ? 1 : 0), value.y >> rest);
}

// firstbithigh of one word: of two at once libvkd3d 1.2 makes SPIR-V that is not valid.
uint top_bit_of(uint2 value) {
    bool high = value.y != 0;
    return firstbithigh(high ? value.y : value.x) + (high ? 32 : 0);
}

// 2^10 times the significand.
uint2 significand_of(uint2 bits) {
    uint high = bits.y & 0x000fffff | ((bits.y & kInfinity64) != 0 ? 0x00100000 : 0);
    return uint2(bits.x << 10, high << 10 | bits.x >> 22);
}

// significand is 2^62 times a number in [1, 2), or less than that where exponent is 1.
uint2 round_and_pack(uint sign, int exponent, uint2 significand) {
    uint rest = significand.x & 0x3ff;
    uint2 rounded = uint2(significand.x >> 10 | significand.y << 22, significand.y >> 10);
    bool up = rest > 0x200 || (rest == 0x200 && (rounded.x & 1) != 0);
    rounded = add_wide(rounded, uint2(up ? 1 : 0, 0));
    uint2 bits = uint2(0, kInfinity64);
    if (exponent < 2047) bits = uint2(rounded.x, ((uint)(exponent - 1) << 20) + rounded.y);
    return uint2(bits.x, sign | bits.y);
}

// Neither is a NaN, here and below.
uint2 add_in_integers(uint2 left, uint2 right) {
    bool swapped = is_less(magnitude_of(left), magnitude_of(right), 0);
    uint2 large = swapped ? right : left;
    uint2 small = swapped ? left : right;
    bool subtracts = ((large.y ^ small.y) & kSign) != 0;
    uint2 result;
    if ((large.y & ~kSign) == kInfinity64) {
        result = large;
        if (subtracts && (small.y & ~kSign) == kInfinity64) result = kNewNan64;
    } else {
        int exponent = exponent_of(large);
        uint2 part = shift_right_sticky(significand_of(small), (uint)min(exponent - exponent_of(small), 63));
        if (subtracts) part = add_wide(~part, uint2(1, 0));
        uint2 sum = add_wide(significand_of(large), part);
        if ((sum.x | sum.y) == 0) {
            result = uint2(0, left.y & right.y & kSign);
        } else {
            if (sum.y >> 31 != 0) {
                sum = shift_right_sticky(sum, 1);
                exponent += 1;
            } else {
                int up = min(62 - (int)top_bit_of(sum), exponent - 1);
                sum = shift_left(sum, (uint)up);
                exponent -= up;
            }
            result = round_and_pack(large.y & kSign, exponent, sum);
        }
    }
    return result;
}

// The high 64 bits of the product, the last one set if any bit below is.
uint2 multiply_high_sticky(uint2 a, uint2 b) {
    uint2 low = multiply_words(a.x, b.x);
    uint2 middle = multiply_words(a.x, b.y);
    uint2 other = multiply_words(a.y, b.x);
    uint2 carries = add_wide(add_wide(uint2(low.y, 0), uint2(middle.x, 0)), uint2(other.x, 0));
    uint2 high = add_wide(multiply_words(a.y, b.y), uint2(middle.y, 0));
    high = add_wide(add_wide(high, uint2(other.y, 0)), uint2(carries.y, 0));
    return uint2(high.x | ((low.x | carries.x) != 0 ? 1 : 0), high.y);
}

// A finite number's significand in [2^63, 2^64) and its exponent, which may be less than 1.
void normalize(uint2 bits, out uint2 significand, out int exponent) {
    significand = significand_of(bits);
    int up = 63 - (int)top_bit_of(significand);
    significand = shift_left(significand, (uint)up);
    exponent = exponent_of(bits) + 1 - up;
}

uint2 multiply_in_integers(uint2 left, uint2 right) {
    uint sign = (left.y ^ right.y) & kSign;
    uint2 result = uint2(0, sign);
    if ((left.y & ~kSign) == kInfinity64 || (right.y & ~kSign) == kInfinity64) {
        result = uint2(0, sign | kInfinity64);
        if (is_zero(left) || is_zero(right)) result = kNewNan64;
    } else if (!is_zero(left) && !is_zero(right)) {
        uint2 left_significand, right_significand;
        int left_exponent, right_exponent;
        normalize(left, left_significand, left_exponent);
        normalize(right, right_significand, right_exponent);
        uint2 significand = multiply_high_sticky(left_significand, right_significand);
        int exponent = left_exponent + right_exponent - 1023;
        if (significand.y >> 31 != 0) {
            significand = shift_right_sticky(significand, 1);
            exponent += 1;
        }
        if (exponent < 1) {
            significand = shift_right_sticky(significand, (uint)min(1 - exponent, 63));
            exponent = 1;
        }
        result = round_and_pack(sign, exponent, significand);
    }
    return result;
}

// Whether left < right; zeros are equal.
bool is_less(uint2 left, uint2 right) {
    uint2 a = (left.y & kSign) != 0 ? ~left : left ^ uint2(0, kSign);
    uint2 b = (right.y & kSign) != 0 ? ~right : right ^ uint2(0, kSign);
    return !(is_zero(left) && is_zero(right)) && is_less(a, b, 0);
}

uint2 widen_float(uint bits) {
    uint exponent = bits >> 23 & 0xff;
    uint mantissa = bits & 0x007fffff;
    if (exponent != 0) {
        exponent = exponent == 0xff ? 0x7ff : exponent + (1023 - 127);
    } else if (mantissa != 0) {  // a multiple of 2^-149
        uint top = firstbithigh(mantissa);
        exponent = top + (1023 - 149);
        mantissa = mantissa << (23 - top) & 0x007fffff;
    }
    return uint2(mantissa << 29, bits & kSign | exponent << 20 | mantissa >> 3);
}

// NaNs are quiet already.
uint narrow_double(uint2 bits) {
    uint sign = bits.y & kSign;
    uint result;
    if (is_nan(bits)) {
        result = sign | kInfinity | (bits.y & 0x000fffff) << 3 | bits.x >> 29;
    } else {
        int exponent = (int)(bits.y >> 20 & 0x7ff) - (1023 - 127);
        uint significand = (bits.y & 0x000fffff | 0x00100000) << 9 | bits.x >> 23 | ((bits.x & 0x007fffff) != 0 ? 1 : 0);
        if (exponent < 1) {
            significand = shift_right_sticky(significand, (uint)(1 - exponent));
            exponent = 1;
        }
        result = round_and_pack(sign, exponent, significand);
    }
    return result;
}
