// What the elements of a reduction are, and how two of them become one. VALUES says which: INTEGERS up to 32 bits and
// bool, WIDE integers of 64, FLOATS up to 32, or BYTES with a table of results. arguments: x the value type (ValueType
// in plan.hpp), y the reduction, z the element's bytes.

#include "plan.hlsli"

#define INTEGERS 0
#define WIDE 1
#define FLOATS 2
#define BYTES 3

static const uint kAdd = 1;
static const uint kMul = 2;
static const uint kMin = 3;
static const uint kMax = 4;

static const uint kBool = 0;
static const uint kFloat16 = 9;
static const uint kBfloat16 = 10;

RWByteAddressBuffer table : register(u0);
RWByteAddressBuffer items : register(u1);
RWByteAddressBuffer results : register(u5);  // [old value][update] of BYTES

#if VALUES == FLOATS
#include "float.hlsli"
#endif

#if VALUES == WIDE
typedef uint2 Element;
#include "wide.hlsli"
#else
typedef uint Element;
#endif

// int8, int16 and so on have odd numbers in ValueType.
bool is_signed() { return arguments.x % 2 == 1; }

Element load_element(RWByteAddressBuffer buffer, uint offset) {
#if VALUES == WIDE
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
#if VALUES == WIDE
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

#if VALUES == INTEGERS
Element combine(Element old, Element update) {
    Element result;
    if (arguments.x == kBool) {
        bool either = arguments.y == kAdd || arguments.y == kMax;
        bool a = old != 0;
        bool b = update != 0;
        result = (either ? a || b : a && b) ? 1 : 0;
    } else if (arguments.y == kAdd) {
        result = old + update;
    } else if (arguments.y == kMul) {
        result = old * update;
    } else {
        uint unused = 32 - 8 * arguments.z;  // as the top bits of a word, signed numbers compare as words do
        uint flip = is_signed() ? 0x80000000 : 0;
        bool less = (update << unused ^ flip) < (old << unused ^ flip);
        bool more = (update << unused ^ flip) > (old << unused ^ flip);
        result = (arguments.y == kMin ? less : more) ? update : old;
    }
    return result;
}
#elif VALUES == WIDE
Element combine(Element old, Element update) {
    Element result;
    if (arguments.y == kAdd) {
        result = add_wide(old, update);
    } else if (arguments.y == kMul) {
        result = multiply_wide(old, update);
    } else {
        uint flip = is_signed() ? 0x80000000 : 0;
        bool less = is_less(update, old, flip);
        bool more = is_less(old, update, flip);
        result = (arguments.y == kMin ? less : more) ? update : old;
    }
    return result;
}
#elif VALUES == FLOATS
uint widen(uint bits) {
    uint result = bits;
    if (arguments.x == kFloat16) result = widen_half(bits);
    if (arguments.x == kBfloat16) result = bits << 16;
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
    } else if (arguments.y == kAdd) {
        result = add_numbers(a, b);
    } else if (arguments.y == kMul) {
        result = multiply_numbers(a, b);
    } else {
        result = (arguments.y == kMin ? is_less(b, a) : is_less(a, b)) ? b : a;
    }
    if (arguments.x == kFloat16) result = narrow_half(result);
    if (arguments.x == kBfloat16) result = narrow_bfloat(result);
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
#if VALUES == INTEGERS
    return arguments.z < 4 ? value & ((1u << 8 * arguments.z) - 1) : value;
#else
    return value;
#endif
}
