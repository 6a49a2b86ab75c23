// Rows of indices that are one index all along, or in parts: rows of the table that one index each
// moves as a whole, though it stands beside every element.
#pragma once

#include <optional>

#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// Whether a packed row of indices is one index all along.
bool is_one_index(const std::byte* indices, std::int64_t index_bytes, std::int64_t count) noexcept;

// Whether the first of the job's runs along a dim of packed indices goes to one place so many times
// in a row, by some looks.
bool has_repeats(const Job& job, const Dim& run, std::int64_t in_a_row) noexcept;

// Whether neighbours along the last dim mostly go to one row, by some looks along it and the dim
// before: a row's lines serve many then. Of one coordinate.
bool neighbours_share_rows(const Job& job) noexcept;

// Whether the runs are packed rows in table, items and indices, and the first of them has one index
// all along, as rows have whose index was expanded to them.
bool has_whole_rows(const Job& job, const Dim* dims, int rank) noexcept;

// As execute(), for a job whose positions are those of dims: rows of one index move as one slice
// each, all that follow each other at once, others as they come. Nothing where the first row has
// more indices than one.
std::optional<bool> execute_in_rows(const Job& job, const Dim* dims, int rank) noexcept;

}  // namespace dmlindex::cpu
