// Reductions of one element, and of a slice's, which never meet: a vector at a time.
//
// In an anonymous namespace, as arithmetic.hpp is.
#pragma once

#include <cstring>
#include <type_traits>

#include "cpu/kernels/arithmetic.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/moves.hpp"

namespace dmlindex::cpu {
namespace {

template <Reduction kReduction, class T>
void reduce_element(std::byte* target, const std::byte* item) noexcept {
    const T result = combine<kReduction>(element_at<T>(target), element_at<T>(item));
    std::memcpy(target, &result, sizeof(T));
}

// Integers that wrap, and the floats of plain vectors.
template <class T>
constexpr bool kHasVectors =
    std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;

// What the ISA has: GCC takes wider ones apart, and their comparisons element by element.
#ifdef __AVX2__
inline constexpr std::int64_t kWidestBytes = 32;
#else
inline constexpr std::int64_t kWidestBytes = 16;
#endif

// Signed numbers need their order for kMin and kMax; sums and products wrap as unsigned ones.
template <Reduction kReduction, class T>
using LaneOf = typename std::conditional_t<std::is_integral_v<T> && kReduction != Reduction::kMin &&
                                               kReduction != Reduction::kMax,
                                           std::make_unsigned<T>, std::type_identity<T>>::type;

// Lane by lane, where no NaN is.
template <Reduction kReduction, class Vector>
[[gnu::always_inline]] inline Vector combine_vectors(const Vector& old,
                                                     const Vector& update) noexcept {
    if constexpr (kReduction == Reduction::kAdd) return old + update;
    if constexpr (kReduction == Reduction::kMul) return old * update;
    if constexpr (kReduction == Reduction::kMin) return update < old ? update : old;
    if constexpr (kReduction == Reduction::kMax) return update > old ? update : old;
}

// Combines kVectors vectors of elements, as combine does each. False, with nothing written, if a
// NaN is among floats.
template <Reduction kReduction, class T, std::int64_t kVectorBytes, int kVectors>
bool reduce_vectors(std::byte* target, const std::byte* item) noexcept {
    constexpr bool kOrdered = kReduction == Reduction::kMin || kReduction == Reduction::kMax;
    using Vector [[gnu::vector_size(kVectorBytes)]] = LaneOf<kReduction, T>;
    Vector results[kVectors];
    auto is_nan = Vector{} != Vector{};
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
        Vector old;
        Vector update;
        std::memcpy(&old, target + v * kVectorBytes, sizeof old);
        std::memcpy(&update, item + v * kVectorBytes, sizeof update);
        const Vector result = results[v] = combine_vectors<kReduction>(old, update);
        if constexpr (std::is_floating_point_v<T>) {
            is_nan |= result != result;
            if constexpr (kOrdered) is_nan |= update != update;
        }
    }
    if constexpr (std::is_floating_point_v<T>) {
        std::uint64_t words[kVectorBytes / sizeof(std::uint64_t)];
        std::memcpy(words, &is_nan, sizeof words);
        std::uint64_t any = 0;
        for (const std::uint64_t word : words) any |= word;
        if (any != 0) return false;
    }
    std::memcpy(target, results, sizeof results);
    return true;
}

// The elements of one slice never meet: they go a vector at a time.
template <Reduction kReduction, class T>
void reduce_slice(std::byte* target, const std::byte* item, std::int64_t bytes) noexcept {
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    std::int64_t at = 0;
    const auto one_by_one = [&](std::int64_t end) {
        for (; at < end; at += kBytes) reduce_element<kReduction, T>(target + at, item + at);
    };
    if constexpr (kIsComplex<T> && kReduction == Reduction::kAdd) {
        reduce_slice<kReduction, typename T::value_type>(target, item, bytes);
        return;
    } else if constexpr (kHasVectors<T>) {
        const auto vectors = [&]<std::int64_t kVectorBytes, int kVectors>() {
            constexpr std::int64_t kStep = kVectors * kVectorBytes;
            while (at + kStep <= bytes) {
                if (reduce_vectors<kReduction, T, kVectorBytes, kVectors>(target + at, item + at)) {
                    at += kStep;
                } else {
                    one_by_one(at + kStep);
                }
            }
        };
        vectors.template operator()<kWidestBytes, 4>();
        if constexpr (std::is_floating_point_v<T>) vectors.template operator()<kWidestBytes, 2>();
        vectors.template operator()<kWidestBytes, 1>();
        if constexpr (kWidestBytes > 16) vectors.template operator()<16, 1>();
    }
    one_by_one(bytes);
}

}  // namespace
}  // namespace dmlindex::cpu
