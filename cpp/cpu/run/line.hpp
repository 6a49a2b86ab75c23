// The table of a linear plan as bytes, and the slices that lie on it in part.
#pragma once

#include <cstdint>

#include "cpu/kernels/kernels.hpp"
#include "plan/plan.hpp"

namespace dmlindex::cpu {

// Part of the line, in bytes: a thread's own in a scatter, all that is there in a gather.
struct Part {
    std::int64_t first;
    std::int64_t last;
};

struct LineBytes {
    std::byte* table;
    std::int64_t width;               // of an element
    std::int64_t wrap;                // offsets count modulo it
    std::int64_t present;             // below it there is memory
    const std::byte* behind_element;  // what a gather reads behind the line; null for zeros

    LineBytes(const Plan& plan, std::byte* table) noexcept;

    // For slices of so many bytes.
    LineSpan span_of(std::int64_t slice_bytes) const noexcept {
        return {wrap,     present - slice_bytes, present, wrap - slice_bytes,
                kSkipped, slice_bytes == width};
    }
};

// Moves one slice, wherever its offset is, element by element where it has to: what the part holds
// of it, if it is written.
void gather_slice(const LineBytes& line, std::int64_t offset, std::int64_t bytes,
                  std::byte* item) noexcept;
void scatter_slice(const LineBytes& line, const Part& part, std::int64_t offset, std::int64_t bytes,
                   const std::byte* item) noexcept;

}  // namespace dmlindex::cpu
