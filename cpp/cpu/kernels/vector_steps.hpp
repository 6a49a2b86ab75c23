// Runs of indices, 16 at a time, over the vector type of vector_kernels.hpp: placed, for elements
// to be moved.
#pragma once

#include <cstdint>
#include <cstring>

#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/kernels/vector_indices.hpp"

namespace dmlindex::cpu {

// Calls step(i) for every kLookUpStep positions from i on, while it returns true; the last step may
// go over some positions again. Returns how many positions were done.
template <class Step>
[[gnu::always_inline]] inline std::int64_t each_step(std::int64_t count, Step step,
                                                     std::int64_t i = 0) noexcept {
    for (; i + kLookUpStep <= count; i += kLookUpStep) {
        if (!step(i)) return i;
    }
    if (i == count || count < kLookUpStep) return i;
    return step(count - kLookUpStep) ? count : i;
}

// Places the indices of a step from position i on, and asks for some further on: calls keep(j,
// places of positions i + j and so on). False if one has no place.
template <class Vector, class Index, Mode kMode, class Keep>
[[gnu::always_inline]] inline bool place_step(const std::byte* indices, std::int64_t i,
                                              std::int64_t ahead, Vector limit, Vector last,
                                              Keep keep) noexcept {
    constexpr auto kIndexBytes = static_cast<std::int64_t>(sizeof(Index));
    fetch_ahead(indices + i * kIndexBytes, kLookUpStep * kIndexBytes, ahead);
    Vector any_outside = Vector::splat(0);
    for (std::int64_t j = 0; j < kLookUpStep; j += Vector::kLanes) {
        Vector outside = Vector::splat(0);
        const Vector index = indices_at<Vector, Index>(indices + (i + j) * kIndexBytes);
        keep(j, place<Vector, Index, kMode>(index, limit, last, outside));
        any_outside = any_outside | outside;
    }
    return !any_negative(any_outside);
}

// Whether the vector type can copy a step's indices and tell whether all are places.
template <class Vector, class Index>
constexpr bool kCopiesInside = sizeof(Index) >= 4 && requires(Index* to, const std::byte* from) {
    Vector::copy_inside(to, from, std::int64_t{});
};

// Calls visit(j, place) for a step's places. Pairs of 4 bytes are one load: loads are what elements
// in cache wait for.
template <class Place, class Visit>
[[gnu::always_inline]] inline void each_place(const Place* places, Visit visit) noexcept {
    if constexpr (sizeof(Place) == 4) {
#pragma GCC unroll 8
        for (std::int64_t j = 0; j < kLookUpStep; j += 2) {
            std::uint64_t two;
            std::memcpy(&two, places + j, sizeof two);
            visit(j, static_cast<std::int64_t>(two & 0xffffffff));
            visit(j + 1, static_cast<std::int64_t>(two >> 32));
        }
    } else {
#pragma GCC unroll 16
        for (std::int64_t j = 0; j < kLookUpStep; ++j)
            visit(j, static_cast<std::int64_t>(places[j]));
    }
}

// Takes a step's indices as places, as most are; after some steps with others, none any more.
template <class Vector, class Index>
class AsTheyAre {
  public:
    explicit AsTheyAre(std::int64_t last_place) noexcept : last_place_(last_place) {}

    // False, with nothing visited, if an index is no place as it is. They are read once.
    template <class Visit>
    [[gnu::always_inline]] bool each(const std::byte* indices, std::int64_t ahead,
                                     Visit visit) noexcept {
        if constexpr (kCopiesInside<Vector, Index>) {
            if (tries_ == 0) return false;
            alignas(64) Index places[kLookUpStep];
            fetch_ahead(indices, kLookUpStep * static_cast<std::int64_t>(sizeof(Index)), ahead);
            if (Vector::copy_inside(places, indices, last_place_)) {
                each_place(places, visit);
                return true;
            }
            --tries_;
        }
        return false;
    }

  private:
    std::int64_t last_place_;
    int tries_ = 4;
};

}  // namespace dmlindex::cpu
