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
constexpr bool kIsPlain =
    std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;

// Those that Lanes has.
#ifdef DMLINDEX_FLOAT16_IN_VECTORS
template <class T>
constexpr bool kHasVectors = kIsPlain<T> || std::is_same_v<T, Float16>;
#else
template <class T>
constexpr bool kHasVectors = kIsPlain<T>;
#endif

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

// Halves take twice as much between load and store.
template <class T>
constexpr std::int64_t kWidestOf = kIsPlain<T> ? kWidestBytes : 16;

// So many bytes of elements, between load and store as numbers that the ISA has arithmetic for.
template <Reduction kReduction, class T, std::int64_t kBytes>
struct Lanes {
    using Lane = LaneOf<kReduction, T>;
    using Vector [[gnu::vector_size(kBytes)]] = Lane;

    static Vector load(const std::byte* from) noexcept { return element_at<Vector>(from); }
    static void store(std::byte* to, const Vector& vector) noexcept {
        std::memcpy(to, &vector, sizeof vector);
    }
};

#ifdef DMLINDEX_FLOAT16_IN_VECTORS
template <Reduction kReduction>
struct Lanes<kReduction, Float16, 16> {
    using Lane = float;
    using Vector = __m256;

    static Vector load(const std::byte* from) noexcept {
        return _mm256_cvtph_ps(element_at<__m128i>(from));
    }
    static void store(std::byte* to, const Vector& vector) noexcept {
        const __m128i halves = _mm256_cvtps_ph(vector, _MM_FROUND_TO_NEAREST_INT);
        std::memcpy(to, &halves, sizeof halves);
    }
};

template <Reduction kReduction, std::int64_t kBytes>
    requires(kBytes < 16)
struct Lanes<kReduction, Float16, kBytes> {
    using Lane = float;
    using Vector = __m128;  // of zeros, behind
    using Bits = std::conditional_t<kBytes == 8, std::uint64_t, std::uint32_t>;
    static_assert(sizeof(Bits) == kBytes);

    static Vector load(const std::byte* from) noexcept {
        return _mm_cvtph_ps(_mm_set_epi64x(0, static_cast<std::int64_t>(element_at<Bits>(from))));
    }
    static void store(std::byte* to, const Vector& vector) noexcept {
        const __m128i halves = _mm_cvtps_ph(vector, _MM_FROUND_TO_NEAREST_INT);
        std::memcpy(to, &halves, kBytes);
    }
};
#endif

template <Reduction kReduction>
constexpr bool kIsOrdered = kReduction == Reduction::kMin || kReduction == Reduction::kMax;

// Whether a NaN may come out as another one than combine's. clang's asm takes no vectors of 8
// bytes.
#if defined(__AVX2__) && !defined(__clang__)
template <Reduction kReduction, class Lane>
constexpr bool kLooksForNans = std::is_floating_point_v<Lane> && kIsOrdered<kReduction>;
#else
template <Reduction kReduction, class Lane>
constexpr bool kLooksForNans = std::is_floating_point_v<Lane>;
#endif

// Lane by lane, where no NaN is that has to be looked for.
template <Reduction kReduction, class Vector>
[[gnu::always_inline]] inline Vector combine_vectors(const Vector& old,
                                                     const Vector& update) noexcept {
    if constexpr (kReduction == Reduction::kMin) {
        return update < old ? update : old;
    } else if constexpr (kReduction == Reduction::kMax) {
        return update > old ? update : old;
    } else {
        constexpr bool kIsSum = kReduction == Reduction::kAdd;
#if defined(__AVX2__) && !defined(__clang__)
        // The compiler may swap the operands of + and *, but not those of an asm.
        using Lane = std::remove_cvref_t<decltype(old[0])>;
        Vector result;
        if constexpr (std::is_same_v<Lane, float> && kIsSum) {
            asm("vaddps %2, %1, %0" : "=x"(result) : "x"(old), "x"(update));
            return result;
        } else if constexpr (std::is_same_v<Lane, float>) {
            asm("vmulps %2, %1, %0" : "=x"(result) : "x"(old), "x"(update));
            return result;
        } else if constexpr (std::is_same_v<Lane, double> && kIsSum) {
            asm("vaddpd %2, %1, %0" : "=x"(result) : "x"(old), "x"(update));
            return result;
        } else if constexpr (std::is_same_v<Lane, double>) {
            asm("vmulpd %2, %1, %0" : "=x"(result) : "x"(old), "x"(update));
            return result;
        }
#endif
        return kIsSum ? old + update : old * update;
    }
}

// Whether any bit is set.
template <class Vector>
[[gnu::always_inline]] inline bool has_any(const Vector& vector) noexcept {
    std::uint64_t words[sizeof(Vector) / sizeof(std::uint64_t)];
    std::memcpy(words, &vector, sizeof words);
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    return any != 0;
}

// Combines kVectors vectors of elements, as combine does each. False, with nothing written, if
// there is a NaN to look for.
template <Reduction kReduction, class T, std::int64_t kVectorBytes, int kVectors>
[[gnu::always_inline]] inline bool reduce_vectors(std::byte* target,
                                                  const std::byte* item) noexcept {
    using Lanes = Lanes<kReduction, T, kVectorBytes>;
    constexpr bool kLooks = kLooksForNans<kReduction, typename Lanes::Lane>;
    typename Lanes::Vector results[kVectors];
    [[maybe_unused]] auto is_nan = typename Lanes::Vector{} != typename Lanes::Vector{};
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
        const auto old = Lanes::load(target + v * kVectorBytes);
        const auto update = Lanes::load(item + v * kVectorBytes);
        results[v] = combine_vectors<kReduction>(old, update);
        if constexpr (kLooks) {
            is_nan |= results[v] != results[v];
            if constexpr (kIsOrdered<kReduction>) is_nan |= update != update;
        }
    }
    if constexpr (kLooks) {
        if (has_any(is_nan)) return false;
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) Lanes::store(target + v * kVectorBytes, results[v]);
    return true;
}

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
    if constexpr (kVectorBytes == sizeof(T)) {
        reduce_element<kReduction, T>(target, item);
    } else if (!reduce_vectors<kReduction, T, kVectorBytes, kVectors>(target, item)) [[unlikely]] {
        reduce_one_by_one<kReduction, T>(target, item, kVectors * kVectorBytes);
    }
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

// The slices of some positions, all their first pieces, then all their second ones and so on: each
// element gets its updates in order, and a loop over pieces of one size takes a fraction of the
// time of one over slices.
template <Reduction kReduction, class T>
void reduce_in_pieces(const Block& given) noexcept {
    constexpr std::int64_t kAtOnceBytes = 8192;  // of items, which stay in L1
    constexpr std::int64_t kFetchedAtOnce = 16;
    const Block block = given;  // a copy that no store can change
    const std::int64_t at_once = block.far ? kFetchedAtOnce : kAtOnceBytes / block.slice_bytes;
    std::int64_t fetched = block.far ? 0 : block.count;
    for (std::int64_t begin = 0; begin < block.count; begin += at_once) {
        const std::int64_t end = std::min(begin + at_once, block.count);
        const std::int64_t wanted = std::min(end + fetch_distance(block.slice_bytes), block.count);
        for (; fetched < wanted; ++fetched) fetch(block, fetched);
        std::int64_t at = 0;
        each_piece_size<T>([&]<std::int64_t kVectorBytes, int kVectors>() {
            constexpr std::int64_t kStep = kVectors * kVectorBytes;
            for (; at + kStep <= block.slice_bytes; at += kStep) {
                const std::byte* item = block.items + begin * block.item_stride + at;
                for (std::int64_t i = begin; i < end; ++i, item += block.item_stride) {
                    const std::int64_t offset = block.offsets[i];
                    if (offset == kSkipped) continue;
                    std::byte* const target = block.table + offset + at;
                    reduce_piece<kReduction, T, kVectorBytes, kVectors>(target, item);
                }
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
