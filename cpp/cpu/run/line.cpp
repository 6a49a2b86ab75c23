#include "cpu/run/line.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/kernels/moves.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// count bytes from offset on, which do not wrap: what is there, then what is read behind it.
void gather_run(const LineBytes& line, std::int64_t offset, std::int64_t count,
                std::byte* item) noexcept {
    const std::int64_t there = std::clamp<std::int64_t>(line.present - offset, 0, count);
    if (there > 0) std::memcpy(item, line.table + offset, static_cast<std::size_t>(there));
    if (there < count) fill_bytes(item + there, line.behind_element, line.width, count - there);
}

void scatter_run(const LineBytes& line, const Part& part, std::int64_t offset, std::int64_t count,
                 const std::byte* item) noexcept {
    const std::int64_t from = std::max(offset, part.first);
    const std::int64_t to = std::min(offset + count, part.last);
    if (from >= to) return;
    std::memcpy(line.table + from, item + (from - offset), static_cast<std::size_t>(to - from));
}

}  // namespace

LineBytes::LineBytes(const Plan& plan, std::byte* first) noexcept
    : table(first),
      width(plan.element_bytes),
      wrap(plan.element_bytes << 32),
      present(present_elements(plan.line) * plan.element_bytes),
      behind_element(nullptr) {
    // Where the last element is not there, what stands for it isn't either.
    if (plan.line.last < present_elements(plan.line)) behind_element = table + present - width;
}

void gather_slice(const LineBytes& line, std::int64_t offset, std::int64_t bytes,
                  std::byte* item) noexcept {
    const std::int64_t before = std::min(bytes, line.wrap - offset);
    gather_run(line, offset, before, item);
    gather_run(line, 0, bytes - before, item + before);
}

void scatter_slice(const LineBytes& line, const Part& part, std::int64_t offset, std::int64_t bytes,
                   const std::byte* item) noexcept {
    const std::int64_t before = std::min(bytes, line.wrap - offset);
    scatter_run(line, part, offset, before, item);
    scatter_run(line, part, 0, bytes - before, item + before);
}

}  // namespace dmlindex::cpu
