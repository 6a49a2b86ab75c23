#include "d3d12/encode/limits.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "d3d12/backend.hpp"
#include "d3d12/encode/arguments.hpp"
#include "d3d12/encode/sections.hpp"
#include "dmlindex/error.hpp"
#include "plan/facts.hpp"

namespace dmlindex::d3d12 {
namespace {

// Threads, positions and winners are counted in 32 bits, with room for what the last groups have
// too many.
constexpr std::int64_t kMaxCount = 0xff000000;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::kDevice, "d3d12: " + what + "; use device=\"cpu\"");
}

// In words; nothing where a view reaches the tensor.
std::string excess(const char* what, const Span& span, std::int64_t limit) {
    if (static_cast<std::int64_t>(span.bytes) <= limit) return {};
    return std::string(what) + " has " + std::to_string(span.bytes) +
           " bytes, and a view here reaches " + std::to_string(limit) + " (2^27 texels)";
}

// Kernels know a limit by 32 bits. Only a table without elements can have a larger one: nothing is
// moved then, and all that is asked is whether an index is out of range.
void check_limits(const Plan& plan) {
    constexpr std::int64_t kMaxLimit = std::numeric_limits<std::uint32_t>::max();
    const auto* const end = plan.coordinates + plan.coordinate_count;
    const auto* const found = std::find_if(
        plan.coordinates, end, [](const Coordinate& one) { return one.limit > kMaxLimit; });
    if (found == end || !may_fail(plan)) return;
    refuse("axis " + std::to_string(found->axis) + " of input has size " +
           std::to_string(found->limit) + ", and indices are held to at most " +
           std::to_string(kMaxLimit) + " here");
}

std::string excess_of_views(const Plan& plan, const Tensors& tensors, const Reach& reach) {
    const auto is_near = [&](const Span& span) {  // for any kernel
        return static_cast<std::int64_t>(span.bytes) <= reach.words();
    };
    if (is_near(tensors.table) && is_near(tensors.items)) return {};
    const Choice choice = choose(plan, tensors, reach);
    const bool in_pieces =
        choice.path == Path::kBytes || (choice.path == Path::kRows && choice.unit == kPieceBytes);
    const std::int64_t limit = in_pieces ? reach.pieces() : reach.words();
    const bool gathers = plan.direction == Direction::kGather;
    const std::string found = excess(gathers ? "input" : "output", tensors.table, limit);
    return found.empty() ? excess(gathers ? "output" : "updates", tensors.items, limit) : found;
}

// What is too large for one run of the kernels; nothing where all is fine.
std::string excess_of(const Plan& plan, const Tensors& tensors, const Reach& reach) {
    std::string found = excess("indices", tensors.indices, reach.words());
    if (found.empty()) found = excess_of_views(plan, tensors, reach);
    if (!found.empty()) return found;
    const std::int64_t positions = position_count(plan);
    if (positions > kMaxCount || positions * (plan.slice_bytes / unit_of(plan)) > kMaxCount) {
        return "the call moves more pieces than 32 bits can count";
    }
    if (plan.reduction != Reduction::kNone) {
        // Two words for each position: its target and itself.
        if (8 * positions > reach.words()) return "a reduction takes at most 2^26 updates here";
        if (positions * (plan.slice_bytes / plan.element_bytes) > kMaxCount) {
            return "the call moves more elements than 32 bits can count";
        }
    }
    if (plan.is_linear && has_many_targets(plan, tensors, reach)) {
        return "output has more than 2^27 places to write to, with mode \"directml\"";
    }
    return {};
}

// Whether one thread may have more updates to go through than its loops have rounds.
bool is_too_long(const Plan& plan, const Reach& reach) noexcept {
    if (!reach.has_short_loops || plan.reduction == Reduction::kNone ||
        can_accumulate(plan, reach)) {
        return false;
    }
    const bool has_steps = kernel_values(plan.value_type) == VALUES_DOUBLES;  // for each update
    return position_count(plan) > (has_steps ? 1 << 12 : 1 << 15);
}

// Halves of halves until all fit; where the first of them never does, the rest is not looked at.
void divide(const Section& section, const Reach& reach, std::vector<Section>& found) {
    const std::string excess = excess_of(section.plan, section.tensors, reach);
    const bool is_long = is_too_long(section.plan, reach);
    const bool has_many = has_many_targets(section.plan, section.tensors, reach);
    if (excess.empty() && !has_many && !is_long) {
        found.push_back(section);
        return;
    }
    const auto both = halves(section);
    if (!both && !excess.empty()) refuse(excess);
    // Where halves have no fewer targets, they are written to in order.
    const bool helps =
        both && (is_long || both->at(0).tensors.table.bytes != section.tensors.table.bytes);
    if (excess.empty() && !helps) {
        found.push_back(section);
        return;
    }
    for (const Section& half : *both) divide(half, reach, found);
}

}  // namespace

std::vector<Section> find_sections(const Plan& plan, const Tensors& tensors, const Reach& reach) {
    const int index_rank = plan.index_rank <= kMaxDeviceDims
                               ? plan.index_rank
                               : static_cast<int>(merged_index_dims(plan).size());
    const int most = std::max({plan.rank, plan.copy_rank, index_rank});
    if (most > kMaxDeviceDims) {
        refuse("the call needs " + std::to_string(most) + " dims that cannot be merged, at most " +
               std::to_string(kMaxDeviceDims) + " are supported");
    }
    if (plan.coordinate_count > kMaxDeviceDims) {
        refuse("index tuples have " + std::to_string(plan.coordinate_count) + " numbers, at most " +
               std::to_string(kMaxDeviceDims) + " are supported");
    }
    check_limits(plan);
    if (index_count(plan) > kMaxCount || tensors.indices.bytes > kMaxCount) {
        refuse("indices has too many numbers for 32 bits");
    }
    if (plan.copies_source) {
        Tensors between;
        between.table = tensors.table;
        between.items = tensors.table;
        find_sections(copy_plan(plan, tensors.table.bytes), between, reach);
    }
    if (position_count(plan) == 0 || plan.slice_bytes == 0) return {};
    if (plan.fill != nullptr &&
        period_bytes(plan, unit_of(plan)) > static_cast<std::int64_t>(kPatternBytes)) {
        refuse("fill_value has " + std::to_string(plan.element_bytes) +
               " bytes, too many for a shader");
    }
    const bool fits = excess_of(plan, tensors, reach).empty();
    if (fits && !has_many_targets(plan, tensors, reach) && !is_too_long(plan, reach)) return {};
    Plan moves = plan;
    moves.copies_source = false;
    std::vector<Section> found;
    divide({moves, tensors}, reach, found);
    return found;
}

}  // namespace dmlindex::d3d12
