#include "d3d12/encode/limits.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "d3d12/backend.hpp"
#include "d3d12/encode/arguments.hpp"
#include "dmlindex/error.hpp"
#include "plan/facts.hpp"

namespace dmlindex::d3d12 {
namespace {

// A raw or 32-bit view has at most 2^27 texels of 4 bytes, a typed one of 16.
constexpr std::int64_t kMaxRawBytes = std::int64_t{4} << 27;
constexpr std::int64_t kMaxTypedBytes = std::int64_t{16} << 27;
// Threads, positions and winners are counted in 32 bits, with room for what the last groups have
// too many.
constexpr std::int64_t kMaxCount = 0xff000000;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::kDevice, "d3d12: " + what + "; use device=\"cpu\"");
}

void check_bytes(const char* what, const Span& span, std::int64_t limit) {
    if (static_cast<std::int64_t>(span.bytes) <= limit) return;
    refuse(std::string(what) + " has " + std::to_string(span.bytes) +
           " bytes, and a view here reaches " + std::to_string(limit) + " (2^27 texels)");
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

void check_views(const Plan& plan, const Tensors& tensors, bool typed_views) {
    const Choice choice = choose(plan, tensors, typed_views);
    const bool typed =
        (choice.path == Path::kBytes || (choice.path == Path::kRows && choice.unit == 16)) &&
        plan.reduction == Reduction::kNone;
    const std::int64_t limit = typed ? kMaxTypedBytes : kMaxRawBytes;
    check_bytes(plan.direction == Direction::kGather ? "input" : "output", tensors.table, limit);
    check_bytes(plan.direction == Direction::kGather ? "output" : "updates", tensors.items, limit);
}

}  // namespace

void check_supported(const Plan& plan, const Tensors& tensors, bool typed_views) {
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
    check_bytes("indices", tensors.indices, kMaxRawBytes);
    check_limits(plan);
    if (index_count(plan) > kMaxCount) refuse("indices has too many numbers for 32 bits");
    if (plan.copies_source) {
        Tensors between;
        between.table = tensors.table;
        between.items = tensors.table;
        check_views(copy_plan(plan, tensors.table.bytes), between, typed_views);
    }
    const std::int64_t positions = position_count(plan);
    if (positions == 0 || plan.slice_bytes == 0) return;

    check_views(plan, tensors, typed_views);
    const std::int64_t unit = unit_of(plan);
    if (positions > kMaxCount || positions * (plan.slice_bytes / unit) > kMaxCount) {
        refuse("the call moves more pieces than 32 bits can count");
    }
    if (plan.fill != nullptr &&
        period_bytes(plan, unit) > static_cast<std::int64_t>(kPatternBytes)) {
        refuse("fill_value has " + std::to_string(plan.element_bytes) +
               " bytes, too many for a shader");
    }
    if (plan.reduction != Reduction::kNone) {
        // Two words for each position: its target and itself.
        if (8 * positions > kMaxRawBytes) refuse("a reduction takes at most 2^26 updates here");
        if (positions * (plan.slice_bytes / plan.element_bytes) > kMaxCount) {
            refuse("the call moves more elements than 32 bits can count");
        }
    } else if (plan.direction == Direction::kScatter && !plan.unique_indices) {
        const std::int64_t targets =
            quotient_up(static_cast<std::int64_t>(tensors.table.bytes), table_step(plan));
        if (std::int64_t{4} * targets > kMaxRawBytes) {
            refuse("output has " + std::to_string(targets) +
                   " places to write to, and at most 2^27 are supported without unique_indices");
        }
    }
}

}  // namespace dmlindex::d3d12
