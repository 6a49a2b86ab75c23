// Reductions of one element, and of a slice's, which never meet: a vector at a time.
//
// In an anonymous namespace, as arithmetic.hpp is.
#pragma once

#include <cstring>
#include <type_traits>

#include "cpu/kernels/arithmetic.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/lanes.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/kernels/running.hpp"

namespace dmlindex::cpu {
namespace {

template <Reduction kReduction, class T>
void reduce_element(std::byte* target, const std::byte* item) noexcept {
    if constexpr (kIsComplex<T>) {
        // Part by part: what was stored so and is loaded as one has to wait for it.
        using Part = typename T::value_type;
        constexpr std::size_t kPart = sizeof(Part);
        const T result =
            combine<kReduction>(T{element_at<Part>(target), element_at<Part>(target + kPart)},
                                T{element_at<Part>(item), element_at<Part>(item + kPart)});
        const Part real = result.real();
        const Part imaginary = result.imag();
        std::memcpy(target, &real, kPart);
        std::memcpy(target + kPart, &imaginary, kPart);
    } else {
        const T result = combine<kReduction>(element_at<T>(target), element_at<T>(item));
        std::memcpy(target, &result, sizeof(T));
    }
}

// kVectors vectors of elements of one place, or an element, which stay in registers from one update
// to the next.
template <Reduction kReduction, class T, std::int64_t kVectorBytes, int kVectors>
class HeldPiece {
  public:
    explicit HeldPiece(const std::byte* target) noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) packed_[v] = Lanes::load(target + v * kVectorBytes);
    }

    void take(const std::byte* item) noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
            const auto old = Lanes::widen(packed_[v]);
            const auto update = Lanes::widen(Lanes::load(item + v * kVectorBytes));
            const auto result = combine_lanes<kReduction, T>(old, update);
            packed_[v] = Lanes::narrow(result);
            if constexpr (kLooks) {
                is_nan_ |= result != result;
                if constexpr (kIsOrdered<kReduction>) is_nan_ |= update != update;
            }
        }
    }

    // False, with nothing written, if there is a NaN to look for.
    bool store(std::byte* target) const noexcept {
        if constexpr (kLooks) {
            if (has_any(is_nan_)) return false;
        }
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v)
            std::memcpy(target + v * kVectorBytes, &packed_[v], kVectorBytes);
        return true;
    }

  private:
    using Lanes = cpu::Lanes<kReduction, T, kVectorBytes>;
    static constexpr bool kLooks = kLooksForNans<kReduction, typename Lanes::Lane>;
    using Vector = typename Lanes::Vector;
    using IsNan = std::conditional_t<kLooks, decltype(Vector{} != Vector{}), char>;

    typename Lanes::Packed packed_[kVectors];
    IsNan is_nan_{};
};

template <Reduction kReduction, class T, std::int64_t kVectorBytes, int kVectors>
    requires(kVectorBytes == sizeof(T) && !kIsComplex<T>)
class HeldPiece<kReduction, T, kVectorBytes, kVectors> {
  public:
    explicit HeldPiece(const std::byte* target) noexcept : running_(element_at<T>(target)) {}
    void take(const std::byte* item) noexcept { running_.take(element_at<T>(item)); }
    bool store(std::byte* target) const noexcept {
        const T value = running_.value();
        std::memcpy(target, &value, sizeof value);
        return true;
    }

  private:
    Running<kReduction, T> running_;
};

template <Reduction kReduction, class T>
[[gnu::noinline]] void reduce_one_by_one(std::byte* target, const std::byte* item,
                                         std::int64_t bytes) noexcept {
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t at = 0; at < bytes; at += kBytes)
        reduce_element<kReduction, T>(target + at, item + at);
}

// kVectors vectors, or an element.
template <Reduction kReduction, class T, std::int64_t kVectorBytes, int kVectors>
[[gnu::always_inline]] inline void reduce_piece(std::byte* target, const std::byte* item) noexcept {
    HeldPiece<kReduction, T, kVectorBytes, kVectors> held(target);
    held.take(item);
    if (!held.store(target)) [[unlikely]]
        reduce_one_by_one<kReduction, T>(target, item, kVectors * kVectorBytes);
}

// Calls visit<kVectorBytes, kVectors>() for the pieces that a slice is taken apart into, from the
// widest down to an element.
template <class T, class Visit>
[[gnu::always_inline]] inline void each_piece_size(Visit visit) noexcept {
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    constexpr std::int64_t kWidest = kWidestOf<T>;
    visit.template operator()<kWidest, 2>();
    visit.template operator()<kWidest, 1>();
    if constexpr (kWidest > 16) visit.template operator()<16, 1>();
    if constexpr (kBytes <= 8) visit.template operator()<8, 1>();
    if constexpr (kBytes <= 4) visit.template operator()<4, 1>();
    if constexpr (kBytes <= 2) visit.template operator()<2, 1>();
    if constexpr (kBytes <= 1) visit.template operator()<1, 1>();
}

// The elements of one slice never meet: they go a vector at a time.
template <Reduction kReduction, class T>
void reduce_slice(std::byte* target, const std::byte* item, std::int64_t bytes) noexcept {
    if constexpr (kHasVectors<T>) {
        const auto take = [&]<std::int64_t kVectorBytes, int kVectors>() {
            constexpr std::int64_t kStep = kVectors * kVectorBytes;
            reduce_piece<kReduction, T, kVectorBytes, kVectors>(target, item);
            target += kStep;
            item += kStep;
            bytes -= kStep;
        };
        while (bytes >= 4 * kWidestOf<T>) take.template operator()<kWidestOf<T>, 4>();
        each_piece_size<T>([&]<std::int64_t kVectorBytes, int kVectors>() {
            if (bytes >= kVectors * kVectorBytes)
                take.template operator()<kVectorBytes, kVectors>();
        });
    } else {
        reduce_one_by_one<kReduction, T>(target, item, bytes);
    }
}

// How many pieces slices have.
template <class T>
std::int64_t count_pieces(std::int64_t bytes) noexcept {
    std::int64_t pieces = 0;
    each_piece_size<T>([&]<std::int64_t kVectorBytes, int kVectors>() {
        pieces += bytes / (kVectors * kVectorBytes);
        bytes %= kVectors * kVectorBytes;
    });
    return pieces;
}

// A piece of each of some positions' slices. Those in a row that have one place keep it in
// registers if kInRuns: through memory each would wait for the one before.
template <Reduction kReduction, class T, std::int64_t kVectorBytes, int kVectors, bool kInRuns>
[[gnu::always_inline]] inline void reduce_pieces(const Block& block, std::int64_t begin,
                                                 std::int64_t end, std::int64_t at) noexcept {
    const std::byte* item = block.items + begin * block.item_stride + at;
    for (std::int64_t i = begin; i < end;) {
        const std::int64_t offset = block.offsets[i];
        if (offset == kSkipped) {
            ++i;
            item += block.item_stride;
            continue;
        }
        std::byte* const target = block.table + offset + at;
        if constexpr (kInRuns) {
            HeldPiece<kReduction, T, kVectorBytes, kVectors> held(target);
            std::int64_t again = i;
            do {
                held.take(item);
                item += block.item_stride;
            } while (++i < end && block.offsets[i] == offset);
            if (held.store(target)) [[likely]]
                continue;
            item -= (i - again) * block.item_stride;
            for (; again < i; ++again, item += block.item_stride)
                reduce_one_by_one<kReduction, T>(target, item, kVectors * kVectorBytes);
        } else {
            reduce_piece<kReduction, T, kVectorBytes, kVectors>(target, item);
            ++i;
            item += block.item_stride;
        }
    }
}

// The slices of some positions, all their first pieces, then all their second ones and so on: each
// element gets its updates in order, and a loop over pieces of one size takes a fraction of the
// time of one over slices.
template <Reduction kReduction, class T, bool kInRuns>
void reduce_in_pieces(const Block& given) noexcept {
    constexpr std::int64_t kAtOnceBytes = 8192;  // of items, which stay in L1
    constexpr std::int64_t kFewAtOnce = 16;
    const Block block = given;  // a copy that no store can change
    // In runs a piece's updates wait for each other, and the next pieces' had better do so at the
    // same time.
    const bool few = block.far || (kInRuns && count_pieces<T>(block.slice_bytes) > 1);
    const std::int64_t at_once = few ? kFewAtOnce : kAtOnceBytes / block.slice_bytes;
    std::int64_t fetched = block.far ? 0 : block.count;
    for (std::int64_t begin = 0; begin < block.count; begin += at_once) {
        const std::int64_t end = std::min(begin + at_once, block.count);
        const std::int64_t wanted = std::min(end + fetch_distance(block.slice_bytes), block.count);
        for (; fetched < wanted; ++fetched) fetch(block, fetched);
        std::int64_t at = 0;
        each_piece_size<T>([&]<std::int64_t kVectorBytes, int kVectors>() {
            constexpr std::int64_t kStep = kVectors * kVectorBytes;
            for (; at + kStep <= block.slice_bytes; at += kStep) {
                reduce_pieces<kReduction, T, kVectorBytes, kVectors, kInRuns>(block, begin, end,
                                                                              at);
            }
        });
    }
}

// Whether look is true of 32 of count positions, evenly apart; false if they are few.
template <class Look>
bool holds_wherever_looked(std::int64_t count, Look look) noexcept {
    constexpr std::int64_t kLooks = 32;
    if (count < 4 * kLooks) return false;
    for (std::int64_t k = 0; k < kLooks; ++k)
        if (!look(k * (count / kLooks))) return false;
    return true;
}

// Whether an update is not better than what is there, which then stays as it is; NaNs are neither.
template <Reduction kReduction, class T>
bool changes_nothing(const std::byte* target, const std::byte* item) noexcept {
    const auto old = widen(element_at<T>(target));
    const auto update = widen(element_at<T>(item));
    return kReduction == Reduction::kMin ? old <= update : old >= update;
}

}  // namespace
}  // namespace dmlindex::cpu
