// The row of the table that the next positions take elements of is fetched while a row's are moved.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

class NextRow {
  public:
    // For runs of so many positions. A row is worth fetching whole where there are as many indices
    // as cache lines, not too many, and L2 does not hold the table.
    NextRow(const Job& job, std::int64_t positions) noexcept;

    bool is_fetched() const noexcept { return bytes_ > 0; }

    // Calls visit(first, count) for all of count positions, some at a time, until it returns false;
    // with each, the next row's lines that are its share are asked for, into L1: all at once they
    // would wait for each other there, and the positions for them. Without a next row, which may be
    // null, or a short one, they are one piece.
    template <class Visit>
    void each_piece(const std::byte* next, std::int64_t count, Visit visit) const {
        const std::int64_t pieces = next == nullptr ? 0 : bytes_ / kPieceBytes;
        if (pieces <= 1) {
            if (next != nullptr) fetch_span(next, bytes_);
            visit(std::int64_t{0}, count);
            return;
        }
        // Whole steps, but the last piece, which is no shorter than one.
        const std::int64_t at_once = (count / pieces + kLookUpStep) & ~(kLookUpStep - 1);
        std::int64_t fetched = 0;
        for (std::int64_t first = 0; first < count;) {
            const std::int64_t left = count - first;
            const std::int64_t piece = left < at_once + kLookUpStep ? left : at_once;
            const std::int64_t until =
                std::min(fetched + bytes_ / pieces + kCacheLineBytes, bytes_);
            for (; fetched < until; fetched += kCacheLineBytes) __builtin_prefetch(next + fetched);
            if (!visit(first, piece)) return;
            first += piece;
        }
    }

  private:
    static constexpr std::int64_t kPieceBytes = 1024;
    std::int64_t bytes_ = 0;
};

}  // namespace dmlindex::cpu
