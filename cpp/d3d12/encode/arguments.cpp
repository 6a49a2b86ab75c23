#include "d3d12/encode/arguments.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "plan/facts.hpp"

namespace dmlindex::d3d12 {
namespace {

template <typename Enum>
constexpr bool is_number(Enum value, std::uint32_t number) {
    return static_cast<std::uint32_t>(value) == number;
}

// What shared.h says of enums.
static_assert(is_number(Mode::kRaise, kModeRaise) && is_number(Mode::kClamp, kModeClamp));
static_assert(is_number(Mode::kWrap, kModeWrap) && is_number(Mode::kSkip, kModeSkip));
static_assert(is_number(Mode::kDirectml, kModeLinear));
static_assert(is_number(Reduction::kAdd, kReductionAdd) &&
              is_number(Reduction::kMul, kReductionMul));
static_assert(is_number(Reduction::kMin, kReductionMin) &&
              is_number(Reduction::kMax, kReductionMax));
static_assert(is_number(ValueType::kBool, kValueBool));
static_assert(is_number(ValueType::kFloat16, kValueFloat16));
static_assert(is_number(ValueType::kBfloat16, kValueBfloat16));
static_assert(is_number(ValueType::kFloat64, kValueFloat64));
static_assert(is_number(ValueType::kComplex64, kValueComplex64));
static_assert(static_cast<int>(ValueType::kInt8) % 2 == 1 &&
              static_cast<int>(ValueType::kUint8) % 2 == 0);
static_assert(static_cast<int>(ValueType::kInt16) % 2 == 1 &&
              static_cast<int>(ValueType::kUint16) % 2 == 0);
static_assert(static_cast<int>(ValueType::kInt32) % 2 == 1 &&
              static_cast<int>(ValueType::kUint32) % 2 == 0);
static_assert(static_cast<int>(ValueType::kInt64) % 2 == 1 &&
              static_cast<int>(ValueType::kUint64) % 2 == 0);

void set_line(const Plan& plan, Constants& constants) {
    constants.mode = kModeLinear;
    // On a line UINT64 counts as negative, too, where its last bit is set.
    if (index_bytes(plan.index_type) == 8) constants.index_signed = 1;
    constants.line_most = plan.direction == Direction::kGather ? narrow(plan.line.last) : ~0u;
    constants.line_present = narrow(present_elements(plan.line));
    constants.line_shift = static_cast<std::uint32_t>(
        std::countr_zero(static_cast<std::uint64_t>(plan.element_bytes)));
}

}  // namespace

Constants plan_constants(const Plan& plan, const Slot& slot, std::int64_t table_unit) {
    Constants constants{};
    constants.slot = slot.offset;
    constants.slot_use = slot.use;
    constants.mode = static_cast<std::uint32_t>(plan.mode);
    constants.index_bytes = narrow(index_bytes(plan.index_type));
    constants.index_signed = is_signed(plan.index_type) ? 1 : 0;
    if (plan.is_linear) set_line(plan, constants);
    if (plan.is_linear) table_unit = plan.element_bytes;
    constants.rank = static_cast<std::uint32_t>(plan.rank);
    constants.coordinate_count = static_cast<std::uint32_t>(plan.coordinate_count);
    constants.pattern_units = 1;
    constants.target_bytes = 1;
    for (int d = 0; d < plan.rank; ++d) {
        const Dim& dim = plan.dims[d];
        constants.dims[d] = {narrow(dim.size), narrow(dim.table_stride / table_unit),
                             narrow(dim.item_stride), narrow(dim.index_stride)};
    }
    for (int k = 0; k < plan.coordinate_count; ++k) {
        const Coordinate& coordinate = plan.coordinates[k];
        constants.coordinates[k] = {narrow(coordinate.limit),
                                    narrow(coordinate.table_stride / table_unit),
                                    narrow(coordinate.index_offset), 0};
    }
    return constants;
}

Constants any_constants(const Plan& plan, std::int64_t element_bytes, const Slot& slot) {
    Constants constants = plan_constants(plan, slot, element_bytes);
    if (plan.rank == 0) {
        constants.rank = 1;
        constants.dims[0].size = 1;
    }
    constants.arguments[0] = narrow(position_count(plan));
    constants.arguments[3] = plan.coordinate_count == 1 && tuples_follow_positions(plan) ? 1 : 0;
    return constants;
}

Constants four_constants(const Plan& plan, const Choice& choice, const Slot& slot) {
    Constants constants = plan_constants(plan, slot, choice.unit);
    const Grid& grid = choice.grid;
    const std::int64_t table_unit = plan.is_linear ? plan.element_bytes : choice.unit;
    const Dim* const dims[] = {&grid.outer, &grid.inner};
    for (std::size_t d = 0; d < std::size(dims); ++d) {
        constants.dims[d] = {narrow(dims[d]->size), narrow(dims[d]->table_stride / table_unit), 0,
                             0};
    }
    constants.arguments[0] = narrow(position_count(plan));
    constants.rank = plan.rank < 2 ? 1 : grid.inner.size % kFour == 0 ? 2 : 3;
    constants.stripe_lines = choice.has_stripes ? narrow(grid.outer.size) : 0;
    constants.index_repeats = grid.repeats_indices ? 1 : 0;
    return constants;
}

std::uint64_t four_threads(const Plan& plan, const Choice& choice) noexcept {
    const Grid& grid = choice.grid;
    const std::int64_t threads =
        choice.has_stripes ? quotient_up(grid.inner.size, std::int64_t{kFour} * kStripeThreads) *
                                 kStripeThreads * grid.outer.size
                           : quotient_up(position_count(plan), kFour);
    return static_cast<std::uint64_t>(threads);
}

Capture capture_of(const Plan& plan, std::uint32_t slot) {
    Capture capture;
    capture.slot = slot;
    capture.index_bytes = narrow(index_bytes(plan.index_type));
    capture.index_signed = is_signed(plan.index_type) ? 1 : 0;
    capture.coordinate_count = static_cast<std::uint32_t>(plan.coordinate_count);
    for (std::size_t k = 0; k < capture.coordinate_count; ++k) {
        capture.offsets[k] = narrow(plan.coordinates[k].index_offset);
    }
    const std::vector<IndexDim> dims = merged_index_dims(plan);
    capture.rank = static_cast<std::uint32_t>(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) {
        capture.sizes[d] = narrow(dims[d].size);
        capture.strides[d] = narrow(dims[d].index_stride);
    }
    return capture;
}

Constants constants_of(const Capture& capture) {
    Constants constants{};
    constants.slot = capture.slot;
    constants.slot_use = kSlotNotes;
    constants.index_bytes = capture.index_bytes;
    constants.index_signed = capture.index_signed;
    constants.coordinate_count = capture.coordinate_count;
    for (std::size_t k = 0; k < capture.coordinate_count; ++k) {
        constants.coordinates[k].index_offset = capture.offsets[k];
    }
    constants.rank = capture.rank;
    for (std::size_t d = 0; d < capture.rank; ++d) {
        constants.dims[d] = {capture.sizes[d], 0, 0, capture.strides[d]};
    }
    return constants;
}

Constants check_constants(const Plan& plan, std::uint32_t slot) {
    Constants constants = constants_of(capture_of(plan, slot));
    constants.mode = static_cast<std::uint32_t>(plan.mode);
    for (int k = 0; k < plan.coordinate_count; ++k) {
        constants.coordinates[k].limit = narrow(plan.coordinates[k].limit);
    }
    return constants;
}

void set_targets(const Plan& plan, const Tensors& tensors, Constants& constants) {
    const std::int64_t step = table_step(plan);
    constants.target_bytes = narrow(plan.is_linear ? step / plan.element_bytes : step);
    constants.target_count =
        narrow(quotient_up(static_cast<std::int64_t>(tensors.table.bytes), step));
}

void set_slice(std::int64_t units, Constants& constants) {
    const auto count = static_cast<std::uint64_t>(units);
    constants.slice_units = narrow(units);
    constants.slice_shift =
        std::has_single_bit(count) ? static_cast<std::uint32_t>(std::countr_zero(count)) : 32;
}

void set_pattern(const Plan& plan, std::int64_t unit, Constants& constants) {
    const std::int64_t period = period_bytes(plan, unit);
    constants.pattern_units = narrow(period / unit);
    if (plan.fill == nullptr) return;
    auto* const pattern = reinterpret_cast<std::byte*>(constants.pattern);
    for (std::int64_t at = 0; at < period; at += plan.element_bytes) {
        std::memcpy(pattern + at, plan.fill, static_cast<std::size_t>(plan.element_bytes));
    }
}

std::int64_t period_bytes(const Plan& plan, std::int64_t unit) {
    return plan.fill == nullptr ? unit : std::lcm(plan.element_bytes, unit);
}

std::int64_t kernel_values(ValueType type) noexcept {
    switch (type) {
        case ValueType::kInt64:
        case ValueType::kUint64:
            return VALUES_WIDE;
        case ValueType::kFloat16:
        case ValueType::kBfloat16:
        case ValueType::kFloat32:
            return VALUES_FLOATS;
        case ValueType::kByteTable:
            return VALUES_BYTES;
        case ValueType::kFloat64:
        case ValueType::kComplex64:
        case ValueType::kComplex128:
            return VALUES_DOUBLES;
        default:
            return VALUES_INTEGERS;
    }
}

bool has_atomics(const Plan& plan) noexcept {
    const std::int64_t values = kernel_values(plan.value_type);
    return values == VALUES_INTEGERS ||
           (values == VALUES_WIDE && plan.reduction == Reduction::kAdd);
}

std::uint32_t unchanging_element(const Plan& plan) noexcept {
    const std::int64_t bits = 8 * plan.element_bytes;
    const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
    const std::uint32_t sign = all ^ all >> 1;
    const ValueType type = plan.value_type;
    std::uint32_t zero = 0;
    std::uint32_t one = 1;
    std::uint32_t most = 1;
    std::uint32_t least = 0;
    if (kernel_values(type) == VALUES_FLOATS) {
        const bool is_half = type == ValueType::kFloat16;
        zero = sign;  // −0
        one = is_half ? 0x3c00 : 0x3f800000 >> (32 - bits);
        most = is_half ? 0x7c00 : 0x7f800000 >> (32 - bits);
        least = sign | most;
    } else if (type != ValueType::kBool) {
        least = static_cast<std::uint32_t>(type) % 2 == 1 ? sign : 0;  // signed ones are odd
        most = least ^ all;
    }
    const std::uint32_t found[] = {zero, one, most, least};
    return found[static_cast<std::size_t>(plan.reduction) - kReductionAdd];
}

void set_values(const Plan& plan, Constants& constants) {
    constants.slice_units = narrow(plan.slice_bytes / plan.element_bytes);
    constants.arguments[0] = static_cast<std::uint32_t>(plan.value_type);
    constants.arguments[1] = static_cast<std::uint32_t>(plan.reduction);
    constants.arguments[2] = narrow(plan.element_bytes);
}

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

Views raw_views(const Tensors& tensors) {
    Views views;
    views.written[0].span = tensors.table;
    views.written[1].span = tensors.items;
    views.written[2].span = tensors.indices;
    return views;
}

View indices_view(const Plan& plan, const Tensors& tensors) noexcept {
    const bool narrow_ones = index_bytes(plan.index_type) * plan.coordinate_count == 1;
    return {tensors.indices, narrow_ones ? Format::kR32 : Format::kRgba32};
}

View any_indices(const Constants& any, const Tensors& tensors) noexcept {
    const bool one_by_one = any.index_bytes == 8 && any.arguments[3] == 0;
    return {tensors.indices, one_by_one ? Format::kRg32 : Format::kRgba32};
}

Format element_format(std::int64_t bytes) noexcept {
    return bytes == 1   ? Format::kR8
           : bytes == 2 ? Format::kR16
           : bytes == 4 ? Format::kR32
           : bytes == 8 ? Format::kRg32
                        : Format::kRgba32;
}

Format four_format(std::int64_t bytes) noexcept {
    return bytes == 1 ? Format::kR32 : bytes == 2 ? Format::kRg32 : Format::kRgba32;
}

}  // namespace dmlindex::d3d12
