// What the elements of a reduction are (VALUES, see shared.h), and how two of them become one. arguments: x the value
// type, y the reduction (SUMS_ONLY: a sum), z the element's bytes.

#include "plan.hlsli"

RWByteAddressBuffer table : register(u0);
#if TYPED
#define READ ByteAddressBuffer
READ items : register(t0);
READ source : register(t2);
#else
#define READ RWByteAddressBuffer
READ items : register(u1);
#endif
RWByteAddressBuffer results : register(u5);  // [old value][update] of BYTES

#if VALUES == VALUES_FLOATS
#include "float.hlsli"
#endif

#if VALUES == VALUES_WIDE || VALUES == VALUES_WHOLE
typedef uint2 Element;
#include "wide.hlsli"
#elif VALUES == VALUES_DOUBLES
typedef uint4 Element;
#include "double.hlsli"
#else
typedef uint Element;
#endif

uint reduction() {
#if SUMS_ONLY
    return kReductionAdd;
#else
    return arguments.y;
#endif
}

// int8, int16 and so on have odd numbers in ValueType.
bool is_signed() { return arguments.x % 2 == 1; }

uint element_bytes() {
#if ADDS == 4  // of float32
    return 4;
#else
    return arguments.z;
#endif
}

Element load_element(READ buffer, uint offset) {
#if VALUES == VALUES_WIDE
    return buffer.Load2(offset);
#elif VALUES == VALUES_DOUBLES
    Element value = uint4(buffer.Load2(offset), 0, 0);
    [branch] if (arguments.z == 16) value.zw = buffer.Load2(offset + 8);
    return value;
#else
    uint value = buffer.Load(offset & ~3u);
    if (element_bytes() < 4) {
        value = value >> 8 * (offset & 3) & ((1u << 8 * element_bytes()) - 1);
    }
#if VALUES == VALUES_WHOLE
    Element whole = uint2(value, 0);
    [branch] if (arguments.z == 8) whole.y = buffer.Load(offset + 4);
    return whole;
#else
    return value;
#endif
#endif
}

// The byte offsets of the items of four positions.
uint4 find_items(uint4 position) {
    uint4 rest = position;
    uint4 item = 0;
    [loop] for (uint d = rank; d-- > 0;) {
        uint4 p = rest;
        if (d > 0) {
            rest = p / dims[d].size;
            p -= rest * dims[d].size;
        }
        item += p * dims[d].item_stride;
    }
    return item;
}

void store_element(uint offset, Element value) {
#if VALUES == VALUES_WIDE
    table.Store2(offset, value);
#elif VALUES == VALUES_DOUBLES
    table.Store2(offset, value.xy);
    [branch] if (arguments.z == 16) table.Store2(offset + 8, value.zw);
#else
#if VALUES == VALUES_WHOLE
    [branch] if (arguments.z == 8) table.Store(offset + 4, value.y);
#endif
    [branch] if (arguments.z >= 4) {
        table.Store(offset, value.x);
    } else {  // the word's other elements belong to other threads
        uint shift = 8 * (offset & 3);
        uint mask = ((1u << 8 * arguments.z) - 1) << shift;
        uint expected = table.Load(offset & ~3u);
        bool stored = false;
        [allow_uav_condition] while (!stored) {
            uint found;
            table.InterlockedCompareExchange(offset & ~3u, expected,
                                             (expected & ~mask) | (value.x << shift & mask), found);
            stored = found == expected;
            expected = found;
        }
    }
#endif
}

#if VALUES == VALUES_INTEGERS || VALUES == VALUES_WHOLE || WITH_INTEGERS
uint combine_words(uint old, uint update) {
    uint result;
    if (arguments.x == kValueBool) {
        bool either = reduction() == kReductionAdd || reduction() == kReductionMax;
        bool a = old != 0;
        bool b = update != 0;
        result = (either ? a || b : a && b) ? 1 : 0;
    } else if (reduction() == kReductionAdd) {
        result = old + update;
    } else if (reduction() == kReductionMul) {
        result = old * update;
    } else {
        uint unused = 32 - 8 * arguments.z;  // as the top bits of a word, signed numbers compare as words do
        uint flip = is_signed() ? 0x80000000 : 0;
        bool less = (update << unused ^ flip) < (old << unused ^ flip);
        bool more = (update << unused ^ flip) > (old << unused ^ flip);
        result = (reduction() == kReductionMin ? less : more) ? update : old;
    }
    return result;
}
#endif

#if VALUES == VALUES_WIDE || VALUES == VALUES_WHOLE
uint2 combine_wide(uint2 old, uint2 update) {
    uint2 result;
    if (arguments.y == kReductionAdd) {
        result = add_wide(old, update);
    } else if (arguments.y == kReductionMul) {
        result = multiply_wide(old, update);
    } else {
        uint flip = is_signed() ? 0x80000000 : 0;
        bool less = is_less(update, old, flip);
        bool more = is_less(old, update, flip);
        result = (arguments.y == kReductionMin ? less : more) ? update : old;
    }
    return result;
}
#endif

#if VALUES == VALUES_INTEGERS
Element combine(Element old, Element update) { return combine_words(old, update); }
#elif VALUES == VALUES_WIDE
Element combine(Element old, Element update) { return combine_wide(old, update); }
#elif VALUES == VALUES_WHOLE
Element combine(Element old, Element update) {
    Element result = 0;
    [branch] if (arguments.z == 8) {
        result = combine_wide(old, update);
    } else {
        result.x = combine_words(old.x, update.x);
    }
    return result;
}
#elif VALUES == VALUES_FLOATS
// As float32, and back.
uint4 widen(uint4 bits) {
    uint4 result = bits;
    [branch] if (arguments.z < 4) result = arguments.x == kValueFloat16 ? widen_halves(bits) : bits << 16;
    return result;
}

uint narrow(uint bits) {
    uint result = bits;
    [branch] if (arguments.z < 4) result = arguments.x == kValueFloat16 ? narrow_half(bits) : narrow_bfloat(bits);
    return result;
}

// Two of them as float32; of one that is asked for twice, it is made once.
uint combine_widened(uint a, uint b) {
    bool adds = reduction() == kReductionAdd;
    precise float sum = asfloat(a) + asfloat(b);
    precise float product = asfloat(a) * asfloat(b);
    uint result = asuint(adds ? sum : product);
    [branch] if (reduction() > kReductionMul || !is_sure(result)) {
        [branch] if (is_nan(a) || is_nan(b)) {
            result = (is_nan(a) ? a : b) | kQuiet;
        } else if (reduction() > kReductionMul) {
            result = (reduction() == kReductionMin ? is_less(b, a) : is_less(a, b)) ? b : a;
        } else if (makes_zero(a, b, adds)) {
            result = (adds ? a & b : a ^ b) & kSign;
        } else {
            result = in_integers(a, b, adds);
        }
    }
    return result;
}

Element combine(Element old, Element update) {
    uint2 both = widen(uint4(old, update, 0, 0)).xy;
    return narrow(combine_widened(both.x, both.y));
}
#elif VALUES == VALUES_DOUBLES
uint2 combine_numbers(uint2 old, uint2 update, uint reduction) {
    uint2 result;
    [branch] if (is_nan(old)) {
        result = uint2(old.x, old.y | kQuiet64);
    } else if (is_nan(update)) {
        result = uint2(update.x, update.y | kQuiet64);
    } else if (reduction == kReductionAdd) {
        result = add_in_integers(old, update);
    } else if (reduction == kReductionMul) {
        result = multiply_in_integers(old, update);
    } else {
        bool is_min = reduction == kReductionMin;
        result = is_less(is_min ? update : old, is_min ? old : update) ? update : old;
    }
    return result;
}

// A complex number's real or imaginary part, or a float64. (complex64 reckons in float64 and rounds again, which gives
// float32's own sums and products.)
uint2 part_of(Element element, bool imaginary) {
    uint2 part = imaginary ? element.zw : element.xy;
    if (arguments.x == kValueComplex64) part = widen_float(imaginary ? element.y : element.x);
    return part;
}

void set_part(inout Element element, bool imaginary, uint2 value) {
    if (arguments.x == kValueComplex64) {
        uint narrow = narrow_double(value);
        element.xy = imaginary ? uint2(element.x, narrow) : uint2(narrow, element.y);
    } else if (imaginary) {
        element.zw = value;
    } else {
        element.xy = value;
    }
}

// Complex numbers are multiplied here, and added part by part, as floats. Step by step, so that each kernel has the
// arithmetic once: two products and their difference, two products and their sum.
Element combine(Element old, Element update) {
    Element products = 0;
    Element sums = 0;
    uint steps = arguments.x == kValueFloat64 ? 1 : 6;
    [loop] for (uint i = 0; i < steps; ++i) {
        bool adds = i % 3 == 2;
        bool second = i % 3 == 1;
        uint2 left = part_of(adds ? products : old, second);
        uint2 right = part_of(adds ? products : update, adds || i == 1 || i == 3);
        if (i == 2 && !is_nan(right)) right.y ^= kSign;
        uint2 value = combine_numbers(left, right, adds ? kReductionAdd : arguments.y);
        if (adds) {
            set_part(sums, i == 5, value);
        } else {
            set_part(products, second, value);
        }
    }
    return steps == 1 ? products : sums;
}
#else
Element combine(Element old, Element update) {
    uint at = old * 256 + update;
    return results.Load(at & ~3u) >> 8 * (at & 3) & 0xff;
}
#endif

// Narrow integers keep bits above their own between steps; only the low ones count.
Element trim(Element value) {
#if VALUES == VALUES_INTEGERS || VALUES == VALUES_WHOLE
    return arguments.z < 4 ? value & ((1u << 8 * arguments.z) - 1) : value;
#else
    return value;
#endif
}
