#include "values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

namespace dmlindex::test {
namespace {

template <class T>
T integer_result(Reduction reduction, T old, T update) {
    __extension__ using Wide = unsigned __int128;
    switch (reduction) {
        case Reduction::kAdd:
            return static_cast<T>(static_cast<Wide>(old) + static_cast<Wide>(update));
        case Reduction::kMul:
            return static_cast<T>(static_cast<Wide>(old) * static_cast<Wide>(update));
        case Reduction::kMin:
            return std::min(old, update);
        default:
            return std::max(old, update);
    }
}

std::uint8_t bool_result(Reduction reduction, std::uint8_t old, std::uint8_t update) {
    const bool is_or = reduction == Reduction::kAdd || reduction == Reduction::kMax;
    return is_or ? (old != 0 || update != 0) : (old != 0 && update != 0);
}

// A NaN stays, its quiet bit set, the old one before the update; one that is made here has its
// sign set.
template <class T, class Bits>
T float_result(Reduction reduction, T old, T update) {
    constexpr auto kQuiet = Bits{1} << (std::numeric_limits<T>::digits - 2);
    if (std::isnan(old)) return std::bit_cast<T>(std::bit_cast<Bits>(old) | kQuiet);
    if (std::isnan(update)) return std::bit_cast<T>(std::bit_cast<Bits>(update) | kQuiet);
    T result = old;
    if (reduction == Reduction::kAdd) {
        result = old + update;
    } else if (reduction == Reduction::kMul) {
        result = old * update;
    } else if (reduction == Reduction::kMin ? update < old : update > old) {
        result = update;
    }
    return std::isnan(result) ? -std::numeric_limits<T>::quiet_NaN() : result;
}

template <class T, class Combine>
bool apply(Reduction reduction, std::byte* target, const std::byte* item, Combine combine) {
    T old;
    T update;
    std::memcpy(&old, target, sizeof old);
    std::memcpy(&update, item, sizeof update);
    const T result = combine(reduction, old, update);
    std::memcpy(target, &result, sizeof result);
    return true;
}

}  // namespace

bool combine(ValueType type, Reduction reduction, std::byte* target, const std::byte* item,
             const std::byte* byte_table) {
    const auto integer = [&]<class T>() {
        return apply<T>(reduction, target, item, integer_result<T>);
    };
    switch (type) {
        case ValueType::kBool:
            return apply<std::uint8_t>(reduction, target, item, bool_result);
        case ValueType::kInt8:
            return integer.template operator()<std::int8_t>();
        case ValueType::kUint8:
            return integer.template operator()<std::uint8_t>();
        case ValueType::kInt16:
            return integer.template operator()<std::int16_t>();
        case ValueType::kUint16:
            return integer.template operator()<std::uint16_t>();
        case ValueType::kInt32:
            return integer.template operator()<std::int32_t>();
        case ValueType::kUint32:
            return integer.template operator()<std::uint32_t>();
        case ValueType::kInt64:
            return integer.template operator()<std::int64_t>();
        case ValueType::kUint64:
            return integer.template operator()<std::uint64_t>();
        case ValueType::kFloat32:
            return apply<float>(reduction, target, item, float_result<float, std::uint32_t>);
        case ValueType::kFloat64:
            return apply<double>(reduction, target, item, float_result<double, std::uint64_t>);
        case ValueType::kByteTable:
            *target = byte_table[std::to_integer<int>(*target) * 256 + std::to_integer<int>(*item)];
            return true;
        default:
            return false;
    }
}

namespace {

template <class T>
void put_float(std::byte* data, std::int64_t i, T value) {
    std::memcpy(data + i * kBytesOf<T>, &value, sizeof value);
}

// Zeros of both signs, which are equal but not the same, among numbers of one sign.
template <class T>
T zero_or(Random& random, int sign) {
    if (random.one_in(2)) return static_cast<T>(sign);
    return random.one_in(2) ? T{0} : -T{0};
}

template <class T>
T special(Random& random) {
    using Limits = std::numeric_limits<T>;
    const T value =
        random.one_of({T{0}, T{1}, Limits::infinity(), Limits::quiet_NaN(), Limits::signaling_NaN(),
                       Limits::denorm_min(), Limits::max(), Limits::min(), Limits::epsilon()});
    return random.one_in(2) ? value : -value;
}

}  // namespace

void put_values(Case& c, ValueType type, const Twin& to, std::int64_t bytes) {
    Random& random = c.random;
    const std::int64_t part = type == ValueType::kComplex64 || type == ValueType::kComplex128 ||
                                      type == ValueType::kComplexLongDouble
                                  ? kValueBytes[static_cast<int>(type)] / 2
                                  : kValueBytes[static_cast<int>(type)];
    const bool is_float = type >= ValueType::kFloat16 && type != ValueType::kByteTable;
    const bool is_long = type == ValueType::kLongDouble || type == ValueType::kComplexLongDouble;
    if (is_long || (c.timed && is_float)) {
        std::memset(to.data, 0, static_cast<std::size_t>(bytes));
        for (std::int64_t i = 0; i < bytes / part; ++i) {
            const double value = static_cast<double>(i * 7919 % 1999 - 999) / 700;
            if (is_long) {
                put_float(to.data, i, static_cast<long double>(value));
            } else if (part == 8) {
                put_float(to.data, i, value);
            } else if (part == 4) {
                put_float(to.data, i, static_cast<float>(value));
            } else {
                put_float(to.data, i, static_cast<std::uint16_t>(0x3c00 + i % 256));
            }
        }
    }
    if (c.timed || !is_float) {
        std::memcpy(to.expected, to.data, static_cast<std::size_t>(bytes));
        return;
    }
    if (random.one_in(3)) {
        const int sign = random.one_in(2) ? 1 : -1;
        for (std::int64_t i = 0; i < bytes / part; ++i) {
            if (is_long) {
                put_float(to.data, i, zero_or<long double>(random, sign));
            } else if (part == 8) {
                put_float(to.data, i, zero_or<double>(random, sign));
            } else if (part == 4) {
                put_float(to.data, i, zero_or<float>(random, sign));
            } else {
                put_float(to.data, i, static_cast<std::uint16_t>(random.one_of({0, 0x8000})));
            }
        }
    }
    // Some, or few, in place of what is there.
    const std::int64_t apart = random.one_of({std::int64_t{16}, std::int64_t{500}});
    for (std::int64_t i = random.between(0, apart); i < bytes / part;
         i += random.between(1, apart)) {
        if (is_long) {
            put_float(to.data, i, special<long double>(random));
        } else if (part == 8) {
            put_float(to.data, i, special<double>(random));
        } else if (part == 4) {
            put_float(to.data, i, special<float>(random));
        } else {
            put_float(to.data, i,
                      static_cast<std::uint16_t>(random.one_of(
                          {0, 0x8000, 0x7c00, 0xfc00, 0x7c01, 0x7e01, 0xfe02, 0x0001, 0x83ff,
                           0x7bff, 0x7f80, 0xff80, 0x7f81, 0x7fc1, 0x3c00, 0x3f80})));
        }
    }
    std::memcpy(to.expected, to.data, static_cast<std::size_t>(bytes));
}

void drop_padding(ValueType type, const Twin& table, std::int64_t bytes) {
    if (type != ValueType::kLongDouble && type != ValueType::kComplexLongDouble) return;
    constexpr std::int64_t kMeant = std::numeric_limits<long double>::digits == 64 ? 10 : 16;
    for (std::int64_t i = 0; i < bytes; ++i) {
        if (i % kBytesOf<long double> >= kMeant) table.data[i] = table.expected[i];
    }
}

}  // namespace dmlindex::test
