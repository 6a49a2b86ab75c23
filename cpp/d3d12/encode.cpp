#include "d3d12/encode.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "d3d12/encode_reduction.hpp"
#include "error.hpp"

namespace dmlindex::d3d12 {
namespace {

// A raw or 32-bit view has at most 2^27 texels of 4 bytes, a typed one of 16.
constexpr std::int64_t kMaxRawBytes = std::int64_t{4} << 27;
constexpr std::int64_t kMaxTypedBytes = std::int64_t{16} << 27;
// Threads, positions and winners are counted in 32 bits, with room for what the last groups have
// too many.
constexpr std::int64_t kMaxCount = 0xff000000;

constexpr std::int64_t kUnits[] = {16, 4, 2, 1};

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::kDevice, "d3d12: " + what + "; use device=\"cpu\"");
}

std::uint32_t narrow(std::int64_t value) { return static_cast<std::uint32_t>(value); }

std::int64_t index_count(const Plan& plan) {
    std::int64_t count = plan.coordinate_count;
    for (int d = 0; d < plan.index_rank; ++d) count *= plan.index_dims[d].size;
    return count;
}

// The indices' dims with neighbours merged: a position's number stays the same.
std::vector<IndexDim> merged_index_dims(const Plan& plan) {
    std::vector<IndexDim> merged;
    for (int d = 0; d < plan.index_rank; ++d) {
        const IndexDim& dim = plan.index_dims[d];
        if (dim.size == 1) continue;
        if (!merged.empty() && merged.back().index_stride == dim.index_stride * dim.size) {
            merged.back() = {merged.back().size * dim.size, dim.index_stride};
        } else {
            merged.push_back(dim);
        }
    }
    return merged;
}

// The largest unit that all slices are whole multiples of, wherever they begin.
std::int64_t unit_of(const Plan& plan) {
    std::int64_t common = plan.slice_bytes;
    for (int d = 0; d < plan.rank; ++d) {
        common = std::gcd(std::gcd(common, plan.dims[d].table_stride), plan.dims[d].item_stride);
    }
    for (int k = 0; k < plan.coordinate_count; ++k) {
        common = std::gcd(common, plan.coordinates[k].table_stride);
    }
    return *std::find_if(std::begin(kUnits), std::end(kUnits),
                         [&](std::int64_t unit) { return common % unit == 0; });
}

bool items_are_packed(const Plan& plan) {
    std::int64_t stride = plan.slice_bytes;
    for (int d = plan.rank - 1; d >= 0; --d) {
        if (plan.dims[d].item_stride != stride) return false;
        stride *= plan.dims[d].size;
    }
    return true;
}

void check_bytes(const char* what, const Span& span, std::int64_t limit) {
    if (static_cast<std::int64_t>(span.bytes) <= limit) return;
    refuse(std::string(what) + " has " + std::to_string(span.bytes) +
           " bytes, and a view here reaches " + std::to_string(limit) + " (2^27 texels)");
}

std::int64_t period_bytes(const Plan& plan, std::int64_t unit) {
    return plan.fill == nullptr ? unit : std::lcm(plan.element_bytes, unit);
}

void set_pattern(const Plan& plan, std::int64_t unit, Constants& constants) {
    const std::int64_t period = period_bytes(plan, unit);
    constants.pattern_units = narrow(period / unit);
    if (plan.fill == nullptr) return;
    for (std::int64_t at = 0; at < period; at += plan.element_bytes) {
        std::memcpy(constants.pattern + at, plan.fill,
                    static_cast<std::size_t>(plan.element_bytes));
    }
}

Kernel gather_kernel(std::int64_t unit, bool packed, bool typed) {
    switch (unit) {
        case 16:
            return typed ? Kernel::gather_typed : Kernel::gather_16;
        case 4:
            return packed ? Kernel::gather_packed_4 : Kernel::gather_4;
        case 2:
            return packed ? Kernel::gather_packed_2 : Kernel::gather_2;
        default:
            return packed ? Kernel::gather_packed_1 : Kernel::gather_1;
    }
}

Kernel scatter_kernel(std::int64_t unit, bool typed) {
    switch (unit) {
        case 16:
            return typed ? Kernel::scatter_typed : Kernel::scatter_16;
        case 4:
            return Kernel::scatter_4;
        case 2:
            return Kernel::scatter_2;
        default:
            return Kernel::scatter_1;
    }
}

void check_views(const Plan& plan, const Tensors& tensors, bool typed_views) {
    const bool typed = typed_views && unit_of(plan) == 16 && plan.reduction == Reduction::kNone;
    const std::int64_t limit = typed ? kMaxTypedBytes : kMaxRawBytes;
    check_bytes(plan.direction == Direction::kGather ? "input" : "output", tensors.table, limit);
    check_bytes(plan.direction == Direction::kGather ? "output" : "updates", tensors.items, limit);
}

void encode_gather(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                   std::uint32_t slot) {
    const std::int64_t unit = unit_of(plan);
    const std::int64_t units = position_count(plan) * (plan.slice_bytes / unit);
    if (units == 0) return;
    Constants constants = plan_constants(plan, slot);
    constants.slice_units = narrow(plan.slice_bytes / unit);
    constants.arguments[0] = narrow(units);
    set_pattern(plan, unit, constants);
    const bool packed = items_are_packed(plan);
    const std::int64_t units_a_thread = packed && unit < 16 ? (unit == 4 ? 4 : 4 / unit) : 1;
    Views views;
    views.table = tensors.table;
    views.items = tensors.items;
    views.indices = tensors.indices;
    encoder.queue.dispatch(
        gather_kernel(unit, packed, encoder.typed_views), constants, views,
        static_cast<std::uint64_t>((units + units_a_thread - 1) / units_a_thread));
}

// Copying is gathering without a coordinate.
Plan copy_plan(const Plan& plan, std::uint64_t table_bytes) {
    Plan copy = plan;
    copy.direction = Direction::kGather;
    copy.reduction = Reduction::kNone;
    copy.coordinate_count = 0;
    copy.fill = nullptr;
    copy.rank = plan.copy_rank;
    copy.slice_bytes = plan.copy_bytes;
    for (int d = 0; d < plan.copy_rank; ++d) {
        const CopyDim& dim = plan.copy_dims[d];
        copy.dims[d] = {dim.size, dim.source_stride, dim.table_stride, 0};
    }
    // Nothing lies behind the end of a tensor, so that the last piece may be a whole one.
    const auto all = static_cast<std::int64_t>(table_bytes);
    if (copy.rank == 0 && copy.slice_bytes == all) copy.slice_bytes = (all + 15) / 16 * 16;
    return copy;
}

void encode_source_copy(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                        std::uint32_t slot) {
    Tensors between;
    between.table = tensors.source;
    between.items = tensors.table;
    encode_gather(encoder, copy_plan(plan, tensors.table.bytes), between, slot);
}

void encode_scatter(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                    std::uint32_t slot) {
    const std::int64_t unit = unit_of(plan);
    const std::int64_t positions = position_count(plan);
    const std::int64_t units = positions * (plan.slice_bytes / unit);
    if (units == 0) return;
    Constants constants = plan_constants(plan, slot);
    Views views;
    views.table = tensors.table;
    views.items = tensors.items;
    views.indices = tensors.indices;
    views.writes_table = true;
    if (!plan.unique_indices && positions > 1) {
        set_targets(plan, tensors, constants);
        views.scratch = encoder.allocate(std::uint64_t{4} * constants.target_count);
        encode_clear(encoder, views.scratch, 0);
        encoder.queue.dispatch(Kernel::claim, constants, views,
                               static_cast<std::uint64_t>(positions));
        constants.arguments[0] = 1;
    }
    constants.slice_units = narrow(plan.slice_bytes / unit);
    encoder.queue.dispatch(scatter_kernel(unit, encoder.typed_views), constants, views,
                           static_cast<std::uint64_t>(units));
}

}  // namespace

std::int64_t position_count(const Plan& plan) noexcept {
    std::int64_t count = 1;
    for (int d = 0; d < plan.rank; ++d) count *= plan.dims[d].size;
    return count;
}

void set_targets(const Plan& plan, const Tensors& tensors, Constants& constants) {
    std::int64_t common = plan.slice_bytes;
    for (int d = 0; d < plan.rank; ++d) common = std::gcd(common, plan.dims[d].table_stride);
    for (int k = 0; k < plan.coordinate_count; ++k) {
        common = std::gcd(common, plan.coordinates[k].table_stride);
    }
    constants.target_bytes = narrow(common);
    const auto bytes = static_cast<std::int64_t>(tensors.table.bytes);
    constants.target_count = narrow((bytes + common - 1) / common);
}

Constants plan_constants(const Plan& plan, std::uint32_t slot) {
    Constants constants{};
    constants.slot = slot;
    constants.mode = static_cast<std::uint32_t>(plan.mode);
    const auto type = static_cast<unsigned>(plan.index_type);
    constants.index_bytes = 1u << type / 2;
    constants.index_signed = type % 2 == 0;
    constants.rank = static_cast<std::uint32_t>(plan.rank);
    constants.coordinate_count = static_cast<std::uint32_t>(plan.coordinate_count);
    constants.pattern_units = 1;
    constants.target_bytes = 1;
    for (int d = 0; d < plan.rank; ++d) {
        const Dim& dim = plan.dims[d];
        constants.dims[d] = {narrow(dim.size), narrow(dim.table_stride), narrow(dim.item_stride),
                             narrow(dim.index_stride)};
    }
    for (int k = 0; k < plan.coordinate_count; ++k) {
        const Coordinate& coordinate = plan.coordinates[k];
        constants.coordinates[k] = {narrow(coordinate.limit), narrow(coordinate.table_stride),
                                    narrow(coordinate.index_offset), 0};
    }
    return constants;
}

bool may_fail(const Plan& plan) noexcept {
    if (plan.mode == Mode::kSkip || index_count(plan) == 0) return false;
    if (plan.mode == Mode::kRaise) return true;
    return std::any_of(plan.coordinates, plan.coordinates + plan.coordinate_count,
                       [](const Coordinate& coordinate) { return coordinate.limit == 0; });
}

void check_supported(const Plan& plan, const Tensors& tensors, bool typed_views) {
    const std::size_t index_rank = merged_index_dims(plan).size();
    const auto most = std::max({static_cast<std::size_t>(plan.rank),
                                static_cast<std::size_t>(plan.copy_rank), index_rank});
    if (most > kMaxDeviceDims) {
        refuse("the call needs " + std::to_string(most) + " dims that cannot be merged, at most " +
               std::to_string(kMaxDeviceDims) + " are supported");
    }
    if (plan.coordinate_count > kMaxDeviceDims) {
        refuse("index tuples have " + std::to_string(plan.coordinate_count) + " numbers, at most " +
               std::to_string(kMaxDeviceDims) + " are supported");
    }
    check_bytes("indices", tensors.indices, kMaxRawBytes);
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
        Constants constants{};
        set_targets(plan, tensors, constants);
        if (std::int64_t{4} * constants.target_count > kMaxRawBytes) {
            refuse("output has " + std::to_string(constants.target_count) +
                   " places to write to, and at most 2^27 are supported without unique_indices");
        }
    }
}

void encode_checks(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                   std::uint32_t slot, const Parents& parents) {
    Constants constants = plan_constants(plan, slot);
    const std::vector<IndexDim> dims = merged_index_dims(plan);
    constants.rank = static_cast<std::uint32_t>(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) {
        constants.dims[d] = {narrow(dims[d].size), 0, 0, narrow(dims[d].index_stride)};
    }
    Views views;
    views.indices = tensors.indices;
    if (may_fail(plan)) {
        encoder.queue.dispatch(Kernel::validate, constants, views,
                               static_cast<std::uint64_t>(index_count(plan)));
    }
    std::copy(parents.begin(), parents.end(), constants.arguments);
    encoder.queue.dispatch(Kernel::settle, constants, views, 1);
}

void encode_moves(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                  std::uint32_t slot) {
    if (plan.direction == Direction::kGather) {
        encode_gather(encoder, plan, tensors, slot);
        return;
    }
    if (plan.copies_source) encode_source_copy(encoder, plan, tensors, slot);
    if (plan.reduction == Reduction::kNone) {
        encode_scatter(encoder, plan, tensors, slot);
    } else {
        encode_reduction(encoder, plan, tensors, slot);
    }
}

void encode_clear(const Encoder& encoder, const Span& span, std::uint32_t word) {
    Constants constants{};
    constants.slot = kNoSlot;
    constants.arguments[0] = word;
    Views views;
    views.scratch = span;
    encoder.queue.dispatch(Kernel::clear, constants, views, (span.bytes + 3) / 4);
}

void encode_copy(const Encoder& encoder, const Span& to, const Span& from, std::uint64_t bytes) {
    if (bytes == 0) return;
    Plan plan{};
    plan.element_bytes = 1;
    plan.copy_bytes = static_cast<std::int64_t>((bytes + 15) / 16 * 16);
    Tensors tensors;
    tensors.table = to;
    tensors.source = from;
    encode_source_copy(encoder, plan, tensors, kNoSlot);
}

}  // namespace dmlindex::d3d12
