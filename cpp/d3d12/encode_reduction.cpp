#include "d3d12/encode_reduction.hpp"

#include <utility>

#include "d3d12/backend.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::uint64_t kPairBytes = 8;
constexpr std::uint64_t kDigits = 256;
constexpr std::uint32_t kDigitBits = 8;
constexpr std::uint64_t kBlockPairs = 8 * kDigits;  // as in shaders/sort.hlsli
constexpr std::uint64_t kByteTableBytes = 256 * 256;

Kernel reduce_kernel(ValueType type) noexcept {
    switch (type) {
        case ValueType::kInt64:
        case ValueType::kUint64:
            return Kernel::reduce_wide;
        case ValueType::kFloat16:
        case ValueType::kBfloat16:
        case ValueType::kFloat32:
            return Kernel::reduce_floats;
        case ValueType::kByteTable:
            return Kernel::reduce_bytes;
        default:
            return Kernel::reduce_integers;
    }
}

// Sorts count pairs by target, equal ones staying in order; returns the span they end up in.
Span sort_pairs(const Encoder& encoder, Span pairs, std::uint64_t count, std::uint32_t largest) {
    const std::uint64_t blocks = (count + kBlockPairs - 1) / kBlockPairs;
    Span other = encoder.allocate(count * kPairBytes);
    const Span counts = encoder.allocate(blocks * kDigits * 4);
    Constants constants{};
    constants.slot = kNoSlot;
    constants.arguments[1] = static_cast<std::uint32_t>(count);
    constants.arguments[2] = static_cast<std::uint32_t>(blocks);
    for (std::uint32_t shift = 0; (std::uint64_t{largest} >> shift) != 0; shift += kDigitBits) {
        constants.arguments[0] = shift;
        Views views;
        views.table = pairs;
        views.items = other;
        views.scratch = counts;
        // These kernels have groups of their own size: one a block.
        encoder.queue.dispatch(Kernel::sort_count, constants, views, blocks * kGroup);
        encoder.queue.dispatch(Kernel::sort_scan, constants, views, 1);
        encoder.queue.dispatch(Kernel::sort_move, constants, views, blocks * kGroup);
        std::swap(pairs, other);
    }
    return pairs;
}

}  // namespace

bool has_reductions(ValueType type) noexcept {
    switch (type) {
        case ValueType::kFloat64:
        case ValueType::kLongDouble:
        case ValueType::kComplex64:
        case ValueType::kComplex128:
        case ValueType::kComplexLongDouble:
            return false;
        default:
            return true;
    }
}

void encode_reduction(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                      std::uint32_t slot) {
    const auto positions = static_cast<std::uint64_t>(position_count(plan));
    const std::int64_t slice_elements = plan.slice_bytes / plan.element_bytes;
    if (positions == 0 || slice_elements == 0) return;
    Constants constants = plan_constants(plan, slot);
    set_targets(plan, tensors, constants);
    constants.slice_units = static_cast<std::uint32_t>(slice_elements);
    Views views;
    views.table = tensors.table;
    views.items = tensors.items;
    views.indices = tensors.indices;
    views.scratch = encoder.allocate(positions * kPairBytes);
    encoder.queue.dispatch(Kernel::reduce_keys, constants, views, positions);
    views.scratch = sort_pairs(encoder, views.scratch, positions, constants.target_count);
    if (plan.value_type == ValueType::kByteTable) {
        views.extra = encoder.upload(plan.byte_table, kByteTableBytes);
    }
    constants.arguments[0] = static_cast<std::uint32_t>(plan.value_type);
    constants.arguments[1] = static_cast<std::uint32_t>(plan.reduction);
    constants.arguments[2] = static_cast<std::uint32_t>(plan.element_bytes);
    constants.arguments[3] = static_cast<std::uint32_t>(positions);
    encoder.queue.dispatch(reduce_kernel(plan.value_type), constants, views,
                           positions * static_cast<std::uint64_t>(slice_elements));
}

}  // namespace dmlindex::d3d12
