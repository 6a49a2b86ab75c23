// Indices to offsets over the vector type of vector_kernels.hpp: checked, placed, held, read back.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/kernels/wrapped.hpp"

namespace dmlindex::cpu {

// Indices that were loaded, once, as index_at does.
template <class Vector>
[[gnu::always_inline]] inline Vector once(Vector indices) noexcept {
#if defined(__aarch64__)
    asm("" : "+w"(indices.lanes));
#else
    asm("" : "+v"(indices.lanes));
#endif
    return indices;
}

template <class Vector, class Index>
[[gnu::always_inline]] inline Vector indices_at(const std::byte* from) noexcept {
    return once(Vector::template load<Index>(from));
}

// Those of positions that are stride bytes apart.
template <class Vector, class Index>
[[gnu::always_inline]] inline Vector indices_at(const std::byte* from,
                                                std::int64_t stride) noexcept {
    return once(Vector::template load_strided<Index>(from, stride));
}

// Indices in [0, limit), negative ones counted from the end; gathers into outside, with the sign,
// where that did not help. Mode::kClamp moves every index inside.
template <class Vector, class Index, Mode kMode>
inline Vector place(Vector index, Vector limit, Vector last, Vector& outside) noexcept {
    if constexpr (std::is_signed_v<Index>) index = index + (negative(index) & limit);
    if constexpr (kMode == Mode::kClamp) {
        if constexpr (std::is_unsigned_v<Index> && sizeof(Index) >= Vector::kLaneBytes) {
            // With the sign it is large, not negative.
            return clamp(select_negative(index, last, index), Vector::splat(0), last);
        }
        return clamp(index, Vector::splat(0), last);
    }
    outside = index | (last - index);
    return index;
}

// Where a run's positions are in the table before any index, a vector of them after the other.
template <class Vector>
class PlacesBefore {
  public:
    explicit PlacesBefore(const IndexRun& run) noexcept
        : places_(run.places), next_(Vector::splat(run.table_offset)), step_(Vector::splat(0)) {
        if (places_ != nullptr) return;
        next_ = next_ + Vector::counting(run.table_stride);
        step_ = Vector::splat(Vector::kLanes * run.table_stride);
    }

    // Those from i on, which counts up by kLanes.
    Vector at(std::int64_t i) noexcept {
        if (places_ != nullptr) {
            return next_ + Vector::template load<std::int64_t>(
                               reinterpret_cast<const std::byte*>(places_ + i));
        }
        const Vector found = next_;
        next_ = next_ + step_;
        return found;
    }

  private:
    const std::int64_t* places_;
    Vector next_;
    Vector step_;
};

// What kernels with multiply_signed ask of a coordinate, which may lead backwards.
static inline bool fits_32_bits_signed(const Coordinate& coordinate) noexcept {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    return coordinate.limit <= kMost && -kMost <= coordinate.table_stride &&
           coordinate.table_stride < kMost;
}

// What those with multiply_low ask: a linear plan's coordinates never lead backwards.
static inline bool fits_32_bits_unsigned(const Coordinate& coordinate) noexcept {
    constexpr std::int64_t kMost = std::int64_t{1} << 32;
    return coordinate.limit <= kMost && coordinate.table_stride >= 0 &&
           coordinate.table_stride < kMost;
}

// Adds what indices of one coordinate come to, to where whole vectors of positions are. Returns
// false if an index needs the scalar kernel, which is rare.
template <class Vector, class Index, Mode kMode, bool kPacked, bool kFirst>
[[gnu::always_inline]] inline bool add_coordinate(const IndexRun& run, const Coordinate& coordinate,
                                                  std::int64_t whole, std::int64_t* offsets,
                                                  Vector& any_outside) noexcept {
    constexpr int kLanes = Vector::kLanes;
    const std::int64_t index_stride =
        kPacked ? static_cast<std::int64_t>(sizeof(Index)) : run.index_stride;
    // All lines of tuples, but not what lies between indices far apart.
    const std::int64_t fetched_bytes =
        index_stride <= kCacheLineBytes ? kLanes * index_stride : kCacheLineBytes;
    const std::byte* at = run.indices + coordinate.index_offset;
    const Vector limit = Vector::splat(coordinate.limit);
    const Vector last = Vector::splat(coordinate.limit - 1);
    const Vector stride = Vector::splat(coordinate.table_stride);
    const Vector skipped = Vector::splat(kSkipped);
    const std::int64_t ahead = ahead_bytes(run);
    [[maybe_unused]] const Wrapped<Vector, Index> wrapped(kMode == Mode::kWrap ? coordinate.limit
                                                                               : 1);
    [[maybe_unused]] bool wraps = false;
    PlacesBefore<Vector> places(run);
    for (std::int64_t i = 0; i < whole; i += kLanes, at += kLanes * index_stride) {
        if constexpr (kFirst) fetch_ahead(at, fetched_bytes, ahead);
        const Vector index =
            kPacked ? indices_at<Vector, Index>(at) : indices_at<Vector, Index>(at, index_stride);
        Vector outside = Vector::splat(0);
        Vector inside = place<Vector, Index, kMode>(index, limit, last, outside);
        if constexpr (kMode == Mode::kWrap) {
            if (wraps || any_negative(outside)) {
                wraps = true;  // others will, too, here and there
                if (!wrapped.fit(index)) return false;
                inside = wrapped(index);
            }
        }
        if constexpr (kMode == Mode::kRaise) any_outside = any_outside | outside;
        const Vector before = kFirst ? places.at(i)
                                     : Vector::template load<std::int64_t>(
                                           reinterpret_cast<const std::byte*>(offsets + i));
        Vector offset = before + multiply_signed(inside, stride);
        if constexpr (kMode == Mode::kSkip) {
            offset = select_negative(outside, skipped, offset);
            if constexpr (!kFirst) {  // what an earlier coordinate skipped stays skipped
                offset = select_negative(equal(before, skipped), skipped, offset);
            }
        }
        offset.store(offsets + i);
    }
    return true;
}

// Resolves whole vectors of positions; leaves the rest, and what it has no fast way for, to the
// scalar kernel.
template <class Vector, class Index, Mode kMode>
bool resolve_vector(const IndexRun& run, std::int64_t* offsets) noexcept {
    if (run.count < Vector::kLanes) return resolve_scalar<Index, kMode>(run, offsets);
    const std::int64_t whole = run.count - run.count % Vector::kLanes;
    const bool fits =
        std::all_of(run.coordinates, run.coordinates + run.coordinate_count, fits_32_bits_signed);
    if (!fits) return resolve_scalar<Index, kMode>(run, offsets);

    const bool packed = run.index_stride == static_cast<std::int64_t>(sizeof(Index));
    Vector any_outside = Vector::splat(0);
    const auto add = [&]<bool kPacked, bool kFirst>(int k) {
        return add_coordinate<Vector, Index, kMode, kPacked, kFirst>(run, run.coordinates[k], whole,
                                                                     offsets, any_outside);
    };
    bool done =
        packed ? add.template operator()<true, true>(0) : add.template operator()<false, true>(0);
    for (int k = 1; done && k < run.coordinate_count; ++k)
        done = add.template operator()<false, false>(k);
    if (!done) return resolve_scalar<Index, kMode>(run, offsets);
    if (any_negative(any_outside)) return false;

    return whole == run.count || resolve_scalar<Index, kMode>(behind(run, whole), offsets + whole);
}

// The AddressKernel.
template <class Vector, class Index, bool kOfElements>
bool address_vectors(const IndexRun& run, const LineSpan& span, std::int64_t* offsets) noexcept {
    constexpr int kLanes = Vector::kLanes;
    const std::int64_t whole = run.count - run.count % kLanes;
    const bool fits =
        std::all_of(run.coordinates, run.coordinates + run.coordinate_count, fits_32_bits_unsigned);
    if (whole == 0 || !fits) return address_scalar<Index>(run, span, offsets);

    const bool packed = run.index_stride == static_cast<std::int64_t>(sizeof(Index));
    const Vector low = Vector::splat(span.wrap - 1);
    const Vector last_whole = Vector::splat(span.whole);
    const Vector end = Vector::splat(span.end);
    const Vector last = Vector::splat(span.last);
    const Vector behind_all = Vector::splat(span.behind);
    const Vector step = Vector::splat(kLanes * run.table_stride);
    Vector base = Vector::splat(run.table_offset) + Vector::counting(run.table_stride);
    Vector parted = Vector::splat(0);
    for (std::int64_t i = 0; i < whole; i += kLanes, base = base + step) {
        Vector sum = base;
        for (int k = 0; k < run.coordinate_count; ++k) {
            const Coordinate& coordinate = run.coordinates[k];
            const std::byte* at = run.indices + coordinate.index_offset + i * run.index_stride;
            const Vector index = packed ? indices_at<Vector, Index>(at)
                                        : indices_at<Vector, Index>(at, run.index_stride);
            Vector place = index;
            if constexpr (std::is_signed_v<Index> || sizeof(Index) == sizeof(std::int64_t)) {
                place = index + (negative(index) & Vector::splat(coordinate.limit));
            }
            sum = sum + multiply_low(place, Vector::splat(coordinate.table_stride));
        }
        const Vector offset = sum & low;
        const Vector past = last_whole - offset;
        if constexpr (!kOfElements) parted = parted | (past & ((offset - end) | (last - offset)));
        select_negative(past, behind_all, offset).store(offsets + i);
    }
    const bool rest = address_scalar<Index>(behind(run, whole), span, offsets + whole);
    return rest && !any_negative(parted);
}

template <class Vector, class Index>
bool address_vector(const IndexRun& run, const LineSpan& span, std::int64_t* offsets) noexcept {
    return span.of_elements ? address_vectors<Vector, Index, true>(run, span, offsets)
                            : address_vectors<Vector, Index, false>(run, span, offsets);
}

// The HoldKernel.
template <class Vector, class Index, std::int64_t kPackedBytes>
bool hold(const IndexRun& run, std::byte* packed) noexcept {
    const Vector limit = Vector::splat(run.coordinates[0].limit);
    const Vector last = Vector::splat(run.coordinates[0].limit - 1);
    constexpr auto kIndexBytes = static_cast<std::int64_t>(sizeof(Index));
    Vector any_outside = Vector::splat(0);
    const auto hold_vector = [&](const std::byte* indices, std::byte* to) {
        Vector outside = Vector::splat(0);
        place<Vector, Index, Mode::kRaise>(indices_at<Vector, Index>(indices), limit, last, outside)
            .template store_narrow<kPackedBytes>(to);
        any_outside = any_outside | outside;
    };
    const std::int64_t rest = run.count % Vector::kLanes;
    const std::int64_t whole = run.count - rest;
    const std::int64_t ahead = ahead_bytes(run);
    for (std::int64_t i = 0; i < whole; i += Vector::kLanes) {
        fetch_ahead(run.indices + i * kIndexBytes, Vector::kLanes * kIndexBytes, ahead);
        hold_vector(run.indices + i * kIndexBytes, packed + i * kPackedBytes);
    }
    if (rest > 0) {
        std::byte last_indices[Vector::kLanes * kIndexBytes] = {};
        std::byte last_packed[Vector::kLanes * kPackedBytes];
        std::memcpy(last_indices, run.indices + whole * kIndexBytes,
                    static_cast<std::size_t>(rest * kIndexBytes));
        hold_vector(last_indices, last_packed);
        std::memcpy(packed + whole * kPackedBytes, last_packed,
                    static_cast<std::size_t>(rest * kPackedBytes));
    }
    return !any_negative(any_outside);
}

// Reads held offsets back; they need no check.
template <class Vector, class Packed>
bool unpack_vector(const IndexRun& run, std::int64_t* offsets) noexcept {
    constexpr int kLanes = Vector::kLanes;
    const std::int64_t unit = run.coordinates[0].table_stride;
    const bool fits = sizeof(Packed) <= 4 && unit < (std::int64_t{1} << 32);
    const bool packed = run.index_stride == static_cast<std::int64_t>(sizeof(Packed));
    const std::int64_t whole = fits && packed ? run.count - run.count % kLanes : 0;
    const Vector stride = Vector::splat(unit);
    PlacesBefore<Vector> places(run);
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        const Vector value = Vector::template load<Packed>(run.indices + i * run.index_stride);
        (places.at(i) + multiply_low(value, stride)).store(offsets + i);
    }
    return unpack_scalar<Packed>(behind(run, whole), offsets + whole);
}

template <class Vector, class Packed>
void pack_vector(const std::int64_t* offsets, std::int64_t count, std::int64_t lowest,
                 std::byte* packed) noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
        const auto value = static_cast<Packed>(offsets[i] - lowest);
        std::memcpy(packed + i * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
    }
}

}  // namespace dmlindex::cpu
