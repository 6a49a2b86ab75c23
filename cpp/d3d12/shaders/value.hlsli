// What the elements of a reduction are (VALUES, see shared.h), and how two of them become one. arguments: x the value
// type, y the reduction, z the element's bytes.

#include "plan.hlsli"

RWByteAddressBuffer table : register(u0);
RWByteAddressBuffer items : register(u1);
RWByteAddressBuffer results : register(u5);  // [old value][update] of BYTES

#if VALUES == VALUES_FLOATS
#include "float.hlsli"
#endif

#if VALUES == VALUES_WIDE
typedef uint2 Element;
#include "wide.hlsli"
#else
typedef uint Element;
#endif

// int8, int16 and so on have odd numbers in ValueType.
bool is_signed() { return arguments.x % 2 == 1; }

Element load_element(RWByteAddressBuffer buffer, uint offset) {
#if VALUES == VALUES_WIDE
    return buffer.Load2(offset);
#else
    uint value = buffer.Load(offset & ~3u);
    if (arguments.z < 4) {
        value = value >> 8 * (offset & 3) & ((1u << 8 * arguments.z) - 1);
    }
    return value;
#endif
}

void store_element(uint offset, Element value) {
#if VALUES == VALUES_WIDE
    table.Store2(offset, value);
#else
    [branch] if (arguments.z == 4) {
        table.Store(offset, value);
    } else {  // the word's other elements belong to other threads
        uint shift = 8 * (offset & 3);
        uint mask = ((1u << 8 * arguments.z) - 1) << shift;
        uint expected = table.Load(offset & ~3u);
        bool stored = false;
        [allow_uav_condition] while (!stored) {
            uint found;
            table.InterlockedCompareExchange(offset & ~3u, expected,
                                             (expected & ~mask) | (value << shift & mask), found);
            stored = found == expected;
            expected = found;
        }
    }
#endif
}

#if VALUES == VALUES_INTEGERS
Element combine(Element old, Element update) {
    Element result;
    if (arguments.x == kValueBool) {
        bool either = arguments.y == kReductionAdd || arguments.y == kReductionMax;
        bool a = old != 0;
        bool b = update != 0;
        result = (either ? a || b : a && b) ? 1 : 0;
    } else if (arguments.y == kReductionAdd) {
        result = old + update;
    } else if (arguments.y == kReductionMul) {
        result = old * update;
    } else {
        uint unused = 32 - 8 * arguments.z;  // as the top bits of a word, signed numbers compare as words do
        uint flip = is_signed() ? 0x80000000 : 0;
        bool less = (update << unused ^ flip) < (old << unused ^ flip);
        bool more = (update << unused ^ flip) > (old << unused ^ flip);
        result = (arguments.y == kReductionMin ? less : more) ? update : old;
    }
    return result;
}
#elif VALUES == VALUES_WIDE
Element combine(Element old, Element update) {
    Element result;
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
#elif VALUES == VALUES_FLOATS
uint widen(uint bits) {
    uint result = bits;
    if (arguments.x == kValueFloat16) result = widen_half(bits);
    if (arguments.x == kValueBfloat16) result = bits << 16;
    return result;
}

Element combine(Element old, Element update) {
    uint a = widen(old);
    uint b = widen(update);
    uint result;
    if (is_nan(a)) {
        result = a | kQuiet;
    } else if (is_nan(b)) {
        result = b | kQuiet;
    } else if (arguments.y == kReductionAdd) {
        result = add_numbers(a, b);
    } else if (arguments.y == kReductionMul) {
        result = multiply_numbers(a, b);
    } else {
        result = (arguments.y == kReductionMin ? is_less(b, a) : is_less(a, b)) ? b : a;
    }
    if (arguments.x == kValueFloat16) result = narrow_half(result);
    if (arguments.x == kValueBfloat16) result = narrow_bfloat(result);
    return result;
}
#else
Element combine(Element old, Element update) {
    uint at = old * 256 + update;
    return results.Load(at & ~3u) >> 8 * (at & 3) & 0xff;
}
#endif

// Narrow integers keep bits above their own between steps; only the low ones count.
Element trim(Element value) {
#if VALUES == VALUES_INTEGERS
    return arguments.z < 4 ? value & ((1u << 8 * arguments.z) - 1) : value;
#else
    return value;
#endif
}
