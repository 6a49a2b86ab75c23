#include "cpu/run/transposed.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace dmlindex::cpu {
namespace {

// The first halves of two packs, interleaved: each instruction set has that.
template <class Pack, int... kAt>
Pack low_halves(Pack a, Pack b, std::integer_sequence<int, kAt...>) noexcept {
    constexpr int kSide = sizeof...(kAt);
    return __builtin_shufflevector(a, b, (kAt % 2 * kSide + kAt / 2)...);
}

// The second halves.
template <class Pack, int... kAt>
Pack high_halves(Pack a, Pack b, std::integer_sequence<int, kAt...>) noexcept {
    constexpr int kSide = sizeof...(kAt);
    return __builtin_shufflevector(a, b, (kAt % 2 * kSide + kSide / 2 + kAt / 2)...);
}

// A square of packs, in registers: interleaving the first half of them with the second turns the
// bits of an element's place, the row's before the column's, by one; after all rounds they have
// changed places.
template <class Element, int kPackBytes>
struct PackSquare {
    static constexpr int kSide = kPackBytes / static_cast<int>(sizeof(Element));
    using Pack [[gnu::vector_size(kPackBytes)]] = Element;

    [[gnu::always_inline]] static void copy(std::byte* to, std::int64_t to_stride,
                                            const std::byte* from,
                                            std::int64_t from_stride) noexcept {
        constexpr std::make_integer_sequence<int, kSide> kAll;
        Pack packs[kSide];
#pragma GCC unroll 16
        for (int i = 0; i < kSide; ++i) std::memcpy(&packs[i], from + i * from_stride, kPackBytes);
#pragma GCC unroll 4
        for (int round = 1; round < kSide; round *= 2) {
            Pack next[kSide];
#pragma GCC unroll 8
            for (int i = 0; i < kSide / 2; ++i) {
                next[2 * i] = low_halves(packs[i], packs[i + kSide / 2], kAll);
                next[2 * i + 1] = high_halves(packs[i], packs[i + kSide / 2], kAll);
            }
#pragma GCC unroll 16
            for (int i = 0; i < kSide; ++i) packs[i] = next[i];
        }
#pragma GCC unroll 16
        for (int i = 0; i < kSide; ++i) std::memcpy(to + i * to_stride, &packs[i], kPackBytes);
    }
};

// Calls visit(first, last) for some columns at a time: what is read of their lines stays in L2
// until the next rows want the rest, and rows are written far enough for the hardware to foresee
// that.
template <class Visit>
void each_columns(const Transposed& matrix, Visit visit) noexcept {
    constexpr std::int64_t kColumns = 1024;
    for (std::int64_t first = 0; first < matrix.columns; first += kColumns)
        visit(first, std::min(first + kColumns, matrix.columns));
}

// The last packs of a row or a column overlap those before them.
template <class Element, int kPackBytes>
void copy_packs(const Transposed& matrix) noexcept {
    using Square = PackSquare<Element, kPackBytes>;
    constexpr std::int64_t kBytes = sizeof(Element);
    constexpr std::int64_t kSide = Square::kSide;
    each_columns(matrix, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t r = 0; r < matrix.rows; r += kSide) {
            const std::int64_t row = std::min(r, matrix.rows - kSide);
            for (std::int64_t c = first; c < last; c += kSide) {
                const std::int64_t column = std::min(c, matrix.columns - kSide);
                Square::copy(matrix.to + row * matrix.to_stride + column * kBytes, matrix.to_stride,
                             matrix.from + row * kBytes + column * matrix.from_stride,
                             matrix.from_stride);
            }
        }
    });
}

template <class Element>
void copy_elements(const Transposed& matrix) noexcept {
    constexpr std::int64_t kWide = PackSquare<Element, 16>::kSide;
    if (matrix.rows >= kWide && matrix.columns >= kWide) {
        copy_packs<Element, 16>(matrix);
    } else if constexpr (sizeof(Element) < 4) {
        copy_packs<Element, 8>(matrix);
    }
}

}  // namespace

bool transposes(std::int64_t rows, std::int64_t columns, std::int64_t element_bytes) noexcept {
    const bool is_word = element_bytes > 0 && element_bytes <= 8 &&
                         std::has_single_bit(static_cast<std::uint64_t>(element_bytes));
    const std::int64_t least = element_bytes == 1 ? 8 : 4;
    return is_word && std::min(rows, columns) >= least;
}

void copy_transposed(const Transposed& matrix, std::int64_t element_bytes) noexcept {
    if (element_bytes == 1) {
        copy_elements<std::uint8_t>(matrix);
    } else if (element_bytes == 2) {
        copy_elements<std::uint16_t>(matrix);
    } else if (element_bytes == 4) {
        copy_elements<std::uint32_t>(matrix);
    } else {
        copy_elements<std::uint64_t>(matrix);
    }
}

}  // namespace dmlindex::cpu
