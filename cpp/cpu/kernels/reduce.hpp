// The reductions: the third move. Updates are applied one by one in C order.
//
// In an anonymous namespace, as arithmetic.hpp is.
#pragma once

#include <cstring>
#include <iterator>
#include <type_traits>

#include "cpu/kernels/arithmetic.hpp"
#include "cpu/kernels/isas.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/kernels/reduce_slice.hpp"
#include "cpu/kernels/running.hpp"

namespace dmlindex::cpu {
namespace {

// Whether four updates in a row go to one place.
inline bool are_one(const std::int64_t* offsets) noexcept {
    const std::int64_t first = offsets[0];
    return ((first ^ offsets[1]) | (first ^ offsets[2]) | (first ^ offsets[3])) == 0;
}

// Where that holds in a block, by a look at some of its positions.
inline bool has_runs(const Block& block) noexcept {
    constexpr std::int64_t kLooks = 16;
    if (block.count < 4 * kLooks) return false;
    const std::int64_t apart = block.count / kLooks;
    std::int64_t misses = 0;
    for (std::int64_t k = 0; k < kLooks; ++k) {
        misses += are_one(block.offsets + k * apart) ? 0 : 1;
        if (misses == kLooks / 4) return false;
    }
    return true;
}

// How many positions from i on have the place of the first.
inline std::int64_t run_length(const Block& block, std::int64_t i) noexcept {
    const std::int64_t place = block.offsets[i];
    std::int64_t end = i;
    while (end + 4 <= block.count && block.offsets[end] == place && are_one(block.offsets + end))
        end += 4;
    while (end < block.count && block.offsets[end] == place) ++end;
    return end - i;
}

// Whether updates come to the same in any order, but for NaNs and zeros of both signs. Integers do
// altogether, but they hardly wait for each other in a register.
template <Reduction kReduction, class T>
constexpr bool kInAnyOrder = std::is_floating_point_v<T> && kIsPlain<T> && kIsOrdered<kReduction>;

// Combines packed elements, a vector of them at least, in an order of its own. False if C order
// might give another result.
template <Reduction kReduction, class T>
bool reduce_packed(const std::byte* item, std::int64_t count, T& result) noexcept {
    using Vector [[gnu::vector_size(kWidestBytes)]] = T;
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    const std::byte* const last = item + count * kBytes - kWidestBytes;
    Vector sums;
    std::memcpy(&sums, item, sizeof sums);
    auto is_nan = sums != sums;
    const auto take = [&](const std::byte* from) {
        Vector update;
        std::memcpy(&update, from, sizeof update);
        sums = combine_vectors<kReduction>(sums, update);
        is_nan |= update != update;
    };
    for (item += kWidestBytes; item < last; item += kWidestBytes) take(item);
    take(last);  // maybe some again, which changes nothing
    T lanes[kWidestBytes / kBytes];
    std::memcpy(lanes, &sums, sizeof lanes);
    for (std::size_t half = std::size(lanes) / 2; half > 0; half /= 2) {
        for (std::size_t k = 0; k < half; ++k)
            lanes[k] = pick<kReduction>(lanes[k], lanes[k + half]);
    }
    result = lanes[0];
    return !has_any(is_nan) && result != T{0};
}

// Single elements, of which one place gets many in a row: its value stays in a register, as through
// memory each would wait for the one before, and those whose order does not matter go a vector at a
// time.
template <Reduction kReduction, class T>
void reduce_runs(const Block& given) noexcept {
    const Block block = given;  // a copy that no store can change
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    const bool packed = block.item_stride == kBytes;
    const std::byte* item = block.items;
    for (std::int64_t i = 0; i < block.count;) {
        const std::int64_t place = block.offsets[i];
        if (place == kSkipped) {
            item += block.item_stride;
            ++i;
            continue;
        }
        T value = element_at<T>(block.table + place);
        if constexpr (kInAnyOrder<kReduction, T>) {
            constexpr std::int64_t kLanes = kWidestBytes / kBytes;
            const std::int64_t last = i + kLanes - 1;
            const bool is_long = packed && last < block.count && block.offsets[last] == place;
            const std::int64_t length = is_long ? run_length(block, i) : 0;
            T result;
            if (length >= kLanes && reduce_packed<kReduction, T>(item, length, result)) {
                value = combine<kReduction>(value, result);
                std::memcpy(block.table + place, &value, sizeof(T));
                item += length * kBytes;
                i += length;
                continue;
            }
        }
        Running<kReduction, T> running(value);
        const auto take = [&] {
            running.take(element_at<T>(item));
            item += block.item_stride;
            ++i;
        };
        while (i + 4 <= block.count && block.offsets[i] == place && are_one(block.offsets + i)) {
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) take();
        }
        while (i < block.count && block.offsets[i] == place) take();
        value = running.value();
        std::memcpy(block.table + place, &value, sizeof(T));
    }
}

// Whether hardly any update of a block changes its place, by a look at some: as where places have
// got many of them.
template <Reduction kReduction, class T>
bool changes_little(const Block& block) noexcept {
    return !block.far && holds_wherever_looked(block.count, [&](std::int64_t i) {
        const std::byte* const item = block.items + i * block.item_stride;
        return block.offsets[i] == kSkipped ||
               changes_nothing<kReduction, T>(block.table + block.offsets[i], item);
    });
}

// Whether slices go piece by piece.
template <class T>
bool pays_in_pieces(const Block& block) noexcept {
    constexpr std::int64_t kFew = 3;
    return block.slice_bytes < 4 * kWidestOf<T> && count_pieces<T>(block.slice_bytes) <= kFew;
}

template <Reduction kReduction, class T>
void reduce(const Block& given) noexcept {
    const auto each_target = [&given]<bool kSingle>(auto reduce_one) {
        // A copy that no store can change; of its parts alone: as a whole it would have to wait
        // until it is written.
        const Block block = given;
        each_position<kSingle, !kSingle>(block, [&](std::int64_t i) {
            if (block.offsets[i] == kSkipped) return;
            reduce_one(block.table + block.offsets[i], block.items + i * block.item_stride);
        });
    };
    // A complex number is two, which go as a vector.
    const bool single = !(kIsComplex<T> && kHasVectors<T>) &&
                        given.slice_bytes == static_cast<std::int64_t>(sizeof(T));
    if constexpr ((kIsPlain<T> || kIsHalf<T>) && kIsOrdered<kReduction>) {
        // A store would make the next update of the place wait for it.
        if (single && !has_runs(given) && changes_little<kReduction, T>(given)) {
            each_target.template operator()<true>([](std::byte* target, const std::byte* item) {
                if (changes_nothing<kReduction, T>(target, item)) [[likely]]
                    return;
                reduce_element<kReduction, T>(target, item);
            });
            return;
        }
    }
    if (single && has_runs(given)) {
        reduce_runs<kReduction, T>(given);
    } else if (single) {
        each_target.template operator()<true>([](std::byte* target, const std::byte* item) {
            reduce_element<kReduction, T>(target, item);
        });
    } else {
        if constexpr (kHasVectors<T>) {
            if (pays_in_pieces<T>(given)) {
                return has_runs(given) ? reduce_in_pieces<kReduction, T, true>(given)
                                       : reduce_in_pieces<kReduction, T, false>(given);
            }
        }
        each_target.template operator()<false>(
            [bytes = given.slice_bytes](std::byte* target, const std::byte* item) {
                reduce_slice<kReduction, T>(target, item, bytes);
            });
    }
}

template <class T>
void add_reduction(Kernels& kernels, ValueType type) noexcept {
    auto& slots = kernels.reduce[static_cast<int>(type)];
    slots[static_cast<int>(Reduction::kAdd)] = reduce<Reduction::kAdd, LaneOf<Reduction::kAdd, T>>;
    slots[static_cast<int>(Reduction::kMul)] = reduce<Reduction::kMul, LaneOf<Reduction::kMul, T>>;
    if constexpr (!kIsComplex<T>) {
        slots[static_cast<int>(Reduction::kMin)] = reduce<Reduction::kMin, T>;
        slots[static_cast<int>(Reduction::kMax)] = reduce<Reduction::kMax, T>;
    }
}

// Those that the compiler makes faster with AVX2, too.
[[maybe_unused]] void add_vectorised_reductions(Kernels& kernels) noexcept {
    add_reduction<Bool>(kernels, ValueType::kBool);
    add_reduction<std::int8_t>(kernels, ValueType::kInt8);
    add_reduction<std::uint8_t>(kernels, ValueType::kUint8);
    add_reduction<std::int16_t>(kernels, ValueType::kInt16);
    add_reduction<std::uint16_t>(kernels, ValueType::kUint16);
    add_reduction<std::int32_t>(kernels, ValueType::kInt32);
    add_reduction<std::uint32_t>(kernels, ValueType::kUint32);
    add_reduction<std::int64_t>(kernels, ValueType::kInt64);
    add_reduction<std::uint64_t>(kernels, ValueType::kUint64);
    add_reduction<Float16>(kernels, ValueType::kFloat16);
    add_reduction<float>(kernels, ValueType::kFloat32);
    add_reduction<double>(kernels, ValueType::kFloat64);
    add_reduction<std::complex<float>>(kernels, ValueType::kComplex64);
    add_reduction<std::complex<double>>(kernels, ValueType::kComplex128);
}

}  // namespace
}  // namespace dmlindex::cpu
