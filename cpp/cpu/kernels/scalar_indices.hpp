// One index at a time. Everything is static: files that are compiled for an ISA have code of their
// own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

template <class T>
static inline T load(const std::byte* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// A negative index counts from the end. Without a branch, which would be mispredicted half of the
// time.
static inline std::int64_t from_start(std::int64_t index, std::int64_t limit) noexcept {
    return index + (limit & (index >> 63));
}

// The place of an index in [0, limit), or −1 if it has none.
template <class Index, Mode kMode>
static inline std::int64_t place_of(Index index, std::int64_t limit) noexcept {
    if constexpr (std::is_unsigned_v<Index>) {
        const auto value = static_cast<std::uint64_t>(index);
        const auto size = static_cast<std::uint64_t>(limit);
        if constexpr (kMode == Mode::kClamp) {
            return static_cast<std::int64_t>(std::min(value, size - 1));
        } else if constexpr (kMode == Mode::kWrap) {
            return static_cast<std::int64_t>(value < size ? value : value % size);
        } else {
            return value < size ? static_cast<std::int64_t>(value) : -1;
        }
    } else {
        auto value = static_cast<std::int64_t>(index);
        if constexpr (kMode == Mode::kClamp) {
            return from_start(std::clamp(value, -limit, limit - 1), limit);
        } else if constexpr (kMode == Mode::kWrap) {
            if (value < -limit || value >= limit) value %= limit;
            return from_start(value, limit);
        } else {
            value = from_start(value, limit);
            const bool inside =
                static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(limit);
            return inside ? value : -1;
        }
    }
}

// The LookUpKernel, which runs too short for vectors take, too.
template <class Index, Mode kMode, std::int64_t kBytes>
static inline std::int64_t look_up_scalar(const IndexRun& run, const std::byte* table,
                                          std::byte* items) noexcept {
    constexpr Mode kPlaced = kMode == Mode::kClamp ? Mode::kClamp : Mode::kRaise;
    const std::int64_t limit = run.coordinates[0].limit;
    const std::byte* const indices = run.indices;
    const std::int64_t count = run.count;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto index = load<Index>(indices + i * static_cast<std::int64_t>(sizeof(Index)));
        const std::int64_t place = place_of<Index, kPlaced>(index, limit);
        if (place < 0) return i;
        std::memcpy(items + i * kBytes, table + place * kBytes, kBytes);
    }
    return count;
}

}  // namespace dmlindex::cpu
