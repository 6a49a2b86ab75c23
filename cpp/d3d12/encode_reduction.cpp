#include "d3d12/encode_reduction.hpp"

#include <algorithm>
#include <utility>

#include "d3d12/backend.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::uint64_t kPairBytes = 8;
constexpr std::uint64_t kDigits = 256;
constexpr std::uint32_t kDigitBits = 8;
// Few enough blocks for the counts to be quick to go through, many enough to keep the GPU busy.
constexpr std::uint64_t kMostBlocks = 1024;
constexpr std::uint64_t kLeastRounds = 8;  // of kDigits pairs, a block
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

// Whether the result is the same in whatever order the updates come.
bool is_order_free(const Plan& plan) noexcept {
    return (plan.value_type == ValueType::kInt32 || plan.value_type == ValueType::kUint32) &&
           plan.slice_bytes == plan.element_bytes && plan.reduction != Reduction::kMul;
}

void encode_accumulation(const Encoder& encoder, const Plan& plan, const Choice& choice,
                         const Tensors& tensors, const Slot& slot) {
    Constants constants = four_constants(plan, choice, slot);
    constants.arguments[1] = static_cast<std::uint32_t>(plan.reduction);
    constants.arguments[2] = plan.value_type == ValueType::kInt32 ? 1 : 0;
    Views views;
    views.read[0] = {tensors.items, Format::kRgba32};
    views.read[1] = indices_view(plan, tensors);
    views.written[0] = {tensors.table, Format::kRaw};
    encoder.queue.dispatch(for_indices(Kernel::accumulate_4_1, plan), constants, views,
                           four_threads(plan, choice));
}

// Sorts count pairs by target, equal ones staying in order; returns the span they end up in.
Span sort_pairs(const Encoder& encoder, Span pairs, std::uint64_t count, std::uint32_t largest) {
    const std::uint64_t rounds =
        std::max(kLeastRounds, (count + kMostBlocks * kDigits - 1) / (kMostBlocks * kDigits));
    const std::uint64_t blocks = (count + rounds * kDigits - 1) / (rounds * kDigits);
    Span other = encoder.allocate(count * kPairBytes);
    const Span counts = encoder.allocate((blocks + 1) * kDigits * 4);
    Constants constants{};
    constants.slot = kNoSlot;
    constants.arguments[1] = static_cast<std::uint32_t>(count);
    constants.arguments[2] = static_cast<std::uint32_t>(blocks);
    constants.arguments[3] = static_cast<std::uint32_t>(rounds);
    for (std::uint32_t shift = 0; (std::uint64_t{largest} >> shift) != 0; shift += kDigitBits) {
        constants.arguments[0] = shift;
        Views views;
        views.written[0].span = pairs;
        views.written[1].span = other;
        views.written[4].span = counts;
        // These kernels have groups of their own size: one a block, or a digit.
        encoder.queue.dispatch(Kernel::sort_count, constants, views, blocks * kGroup);
        encoder.queue.dispatch(Kernel::sort_scan, constants, views, kDigits * kGroup);
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
                      const Slot& slot) {
    const auto positions = static_cast<std::uint64_t>(position_count(plan));
    const std::int64_t slice_elements = plan.slice_bytes / plan.element_bytes;
    if (positions == 0 || slice_elements == 0) return;
    const Choice choice = choose(plan, tensors, encoder.typed_views);
    if (choice.path == Path::kSingles && is_order_free(plan)) {
        encode_accumulation(encoder, plan, choice, tensors, slot);
        return;
    }
    Constants constants = plan_constants(plan, slot);
    set_targets(plan, tensors, constants);
    constants.slice_units = static_cast<std::uint32_t>(slice_elements);
    Views views = raw_views(tensors);
    Span& pairs = views.written[4].span;
    pairs = encoder.allocate(positions * kPairBytes);
    encoder.queue.dispatch(Kernel::reduce_keys, constants, views, positions);
    pairs = sort_pairs(encoder, pairs, positions, constants.target_count);
    if (plan.value_type == ValueType::kByteTable) {
        views.written[5].span = encoder.upload(plan.byte_table, kByteTableBytes);
    }
    constants.arguments[0] = static_cast<std::uint32_t>(plan.value_type);
    constants.arguments[1] = static_cast<std::uint32_t>(plan.reduction);
    constants.arguments[2] = static_cast<std::uint32_t>(plan.element_bytes);
    constants.arguments[3] = static_cast<std::uint32_t>(positions);
    encoder.queue.dispatch(reduce_kernel(plan.value_type), constants, views,
                           positions * static_cast<std::uint64_t>(slice_elements));
}

}  // namespace dmlindex::d3d12
