// Tuples of indices to the places that they name, over vectors of 32-bit lanes.
//
// Words has kLanes, splat(x), +, -, &, |, negative, any_negative, clamp and select_negative as the
// Vector of vector_kernels.hpp; store_words(to), multiply_words(a, b) (the low 32 bits);
// load_tuples<Index, kMode>(from, outside), which reads kLanes indices once, and either saturates
// those of 64 bits or gathers into outside, with the sign, what has more than 32; and
// pick<Index, kCount, k>(words): of kLanes tuples of kCount, which were loaded as so many vectors,
// the k-th indices.
#pragma once

#include <array>
#include <utility>

#include "cpu/kernels/isas.hpp"
#include "cpu/kernels/vector_steps.hpp"

namespace dmlindex::cpu {

// Where the k-th word of each of kLanes tuples of kCount lies, counted from the first vector's
// first.
template <int kLanes, int kCount, int k>
consteval std::array<int, kLanes> words_of_tuples() noexcept {
    std::array<int, kLanes> from{};
    for (int p = 0; p < kLanes; ++p) from[static_cast<std::size_t>(p)] = p * kCount + k;
    return from;
}

// A bit for each of these that lies from the vector of this number on.
template <int kLanes, int kCount, int k>
consteval int words_from(int vector) noexcept {
    int bits = 0;
    for (int p = 0; p < kLanes; ++p) bits |= p * kCount + k >= vector * kLanes ? 1 << p : 0;
    return bits;
}

template <class Words, class Index, Mode kMode, int kCount, int... k>
std::int64_t flatten_tuples(const IndexRun& run, std::uint32_t* places,
                            std::integer_sequence<int, k...>) noexcept {
    constexpr auto kIndexBytes = static_cast<std::int64_t>(sizeof(Index));
    const std::byte* const indices = run.indices;
    const Coordinate* const axes = run.coordinates;
    const Words limits[]{Words::splat(axes[k].limit)...};
    const Words lasts[]{Words::splat(axes[k].limit - 1)...};
    const Words strides[]{Words::splat(axes[k].table_stride)...};
    const std::int64_t ahead = ahead_bytes(run);
    return each_step(run.count, [&](std::int64_t i) {
        fetch_ahead(indices + i * kCount * kIndexBytes, kLookUpStep * kCount * kIndexBytes, ahead);
        Words any_outside = Words::splat(0);
        Words found[kLookUpStep / Words::kLanes];
        for (std::int64_t j = i; j < i + kLookUpStep; j += Words::kLanes) {
            const std::byte* const from = indices + j * kCount * kIndexBytes;
            const std::array<Words, kCount> words{Words::template load_tuples<Index, kMode>(
                from + k * Words::kLanes * kIndexBytes, any_outside)...};
            Words outside[]{(static_cast<void>(k), Words::splat(0))...};
            const auto part = [&]<int kAxis>() {
                const Words index = Words::template pick<Index, kCount, kAxis>(words);
                return multiply_words(
                    place<Words, Index, kMode>(index, limits[kAxis], lasts[kAxis], outside[kAxis]),
                    strides[kAxis]);
            };
            found[(j - i) / Words::kLanes] = (part.template operator()<k>() + ...);
            any_outside = any_outside | (outside[k] | ...);
        }
        if (any_negative(any_outside)) return false;
        for (std::int64_t v = 0; v < kLookUpStep / Words::kLanes; ++v)
            found[v].store_words(places + i + v * Words::kLanes);
        return true;
    });
}

// The FlattenKernel.
template <class Words, class Index, Mode kMode>
std::int64_t flatten(const IndexRun& run, std::uint32_t* places) noexcept {
    const auto as = [&]<int kCount>() {
        return flatten_tuples<Words, Index, kMode, kCount>(
            run, places, std::make_integer_sequence<int, kCount>());
    };
    switch (run.coordinate_count) {
        case 2:
            return as.template operator()<2>();
        case 3:
            return as.template operator()<3>();
        case 4:
            return as.template operator()<4>();
        default:
            return 0;
    }
}

template <class Words>
void add_flatten(Kernels& kernels) noexcept {
    for_each_index_type_and_mode([&]<class Index, Mode kMode>(int type, int mode) {
        kernels.flatten[type][mode] = flatten<Words, Index, look_up_mode(kMode)>;
    });
}

}  // namespace dmlindex::cpu
