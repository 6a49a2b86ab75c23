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
    // For runs of so many positions. A row is worth fetching whole if it is not too long, there are
    // as many positions as lines (more, where it is too long for L1), and the caches do not hold
    // what the job goes through.
    NextRow(const Job& job, std::int64_t positions) noexcept;

    bool is_fetched() const noexcept { return bytes_ > 0; }

    // Calls visit(first, count) for all of count positions, some at a time, until it returns false;
    // with each, the next row's lines that are its share are asked for: all at once they would wait
    // for each other, and the positions for them. Without a next row, which may be null, or a short
    // one, they are one piece.
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
            const std::int64_t share = until - fetched;
            bytes_ <= kNearBytes ? fetch_span<kIntoL1>(next + fetched, share)
                                 : fetch_span(next + fetched, share);
            fetched = until;
            if (!visit(first, piece)) return;
            first += piece;
        }
    }

  private:
    static constexpr std::int64_t kPieceBytes = 1024;
    static constexpr std::int64_t kNearBytes = 16 << 10;  // L1 holds a row and the next
    std::int64_t bytes_ = 0;
};

}  // namespace dmlindex::cpu
