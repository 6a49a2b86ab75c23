// How threads share a job: along a dim whose order does not matter, or along the slice.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/run/job.hpp"

namespace dmlindex::cpu {

// Where part number part of size things begins, 0 ≤ part ≤ parts. No part is empty while parts ≤
// size, and nothing overflows, whatever the two are.
constexpr std::int64_t part_begin(std::int64_t part, std::int64_t size,
                                  std::int64_t parts) noexcept {
    return part * (size / parts) + std::min(part, size % parts);
}

struct Split {
    int dim = -1;           // job.rank: the slice; −1: there is one part
    std::int64_t size = 1;  // of the dim, or the slice's grains
    std::int64_t grain_bytes =
        0;                   // of the slice: it is taken apart in these; the last has the rest
    std::int64_t parts = 1;  // at most, and no more than size
};

Split choose_split(const Job& job, int threads) noexcept;

// Things first to last of those that are split.
Job cut_out(const Job& whole, const Split& split, std::int64_t first, std::int64_t last) noexcept;

// A part of the job, of as many as split.parts allows; the only one is the job.
Job part_of(const Job& whole, const Split& split, std::int64_t part, std::int64_t parts) noexcept;

// execute(), on as many threads as there are and parts can be made.
bool execute_parts(const Job& job, const Split& split, int threads);

}  // namespace dmlindex::cpu
