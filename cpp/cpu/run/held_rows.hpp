// The rows of a table that indices mean, for strips of columns: read as the indices lie in memory,
// and held strip after strip in 16 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// Memory in whole cache lines.
struct FreeLines {
    void operator()(std::byte* memory) const noexcept;
};
using Lines = std::unique_ptr<std::byte[], FreeLines>;

// Null where there is no memory.
std::byte* new_lines(std::int64_t bytes) noexcept;

class HeldRows {
  public:
    using Row = std::uint16_t;
    static constexpr int kWidth = 1;  // of Kernels::unpack
    static constexpr std::int64_t kMostRows = std::numeric_limits<Row>::max();

    // Of the job's last two dims, the walk along the indexed axis and the columns, so many a strip;
    // there is room for some outer positions' rows.
    HeldRows(const Job& job, std::int64_t columns, std::int64_t outer_count) noexcept;
    HeldRows(const HeldRows&) = delete;
    HeldRows& operator=(const HeldRows&) = delete;
    bool has_memory() const noexcept { return rows_ != nullptr; }

    // Holds the rows that an outer position's indices mean, the limit where they are skipped. False
    // if there is one that the mode gives no place. The first strip ends at lead, if that is not 0.
    bool hold(const std::byte* indices, std::int64_t lead, std::int64_t outer) noexcept;

    // Where the strip ends that begins at a column.
    std::int64_t end_of_strip(std::int64_t first, std::int64_t lead) const noexcept;

    // A strip's rows: those of its columns, step by step of the walk.
    const Row* of_strip(std::int64_t outer, std::int64_t strip) const noexcept;

  private:
    struct Piece;
    Piece piece_at(std::int64_t first, std::int64_t lead) const noexcept;
    bool hold_run(const IndexRun& run, std::byte* rows) const noexcept;

    const Job& job_;
    std::int64_t columns_;
    std::int64_t strips_;
    std::int64_t strip_bytes_;
    Lines rows_;
};

}  // namespace dmlindex::cpu
