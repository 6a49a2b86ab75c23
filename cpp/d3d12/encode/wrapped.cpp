// Indices of mode wrap, which only some kernels know of: those of large calls are resolved first.

#include <algorithm>

#include "d3d12/encode/blocks.hpp"
#include "d3d12/encode/encode.hpp"
#include "plan/facts.hpp"

namespace dmlindex::d3d12 {
namespace {

// Positions from which on that pays: of fewer the kernel that moves resolves them, as another takes
// longer than it saves.
constexpr std::int64_t kLeastGathered = 1 << 16;
constexpr std::int64_t kLeastScattered = 1 << 18;

std::int64_t scaled(std::int64_t offset, const Plan& plan) noexcept {
    return offset / index_bytes(plan.index_type) * kWord;
}

// The plan of the same positions whose indices are places already, of a word each.
Plan plan_of_places(const Plan& plan) noexcept {
    Plan found = plan;
    found.mode = Mode::kClamp;
    found.index_type = IndexType::kUint32;
    for (int d = 0; d < plan.rank; ++d) {
        found.dims[d].index_stride = scaled(plan.dims[d].index_stride, plan);
    }
    for (int d = 0; d < plan.index_rank; ++d) {
        found.index_dims[d].index_stride = scaled(plan.index_dims[d].index_stride, plan);
    }
    for (int k = 0; k < plan.coordinate_count; ++k) {
        found.coordinates[k].index_offset = scaled(plan.coordinates[k].index_offset, plan);
    }
    return found;
}

}  // namespace

std::optional<Section> encode_wrapped(const Encoder& encoder, const Plan& plan,
                                      const Tensors& tensors) {
    const std::int64_t count = index_count(plan);
    const std::int64_t most = encoder.reach().words();  // what all kernels reach
    const bool gathers = plan.direction == Direction::kGather;
    if (plan.mode != Mode::kWrap || !encoder.typed_views || has_no_place(plan) ||
        !indices_are_packed(plan) || plan.slice_bytes == 0 ||
        position_count(plan) < (gathers ? kLeastGathered : kLeastScattered)) {
        return std::nullopt;
    }
    if (std::max({kWord * count, static_cast<std::int64_t>(tensors.table.bytes),
                  static_cast<std::int64_t>(tensors.items.bytes)}) > most) {
        return std::nullopt;
    }
    Section found{plan_of_places(plan), tensors};
    found.tensors.indices = encoder.allocate(static_cast<std::uint64_t>(kWord * count));
    found.tensors.indices.bytes = static_cast<std::uint64_t>(kWord * count);
    Constants constants = plan_constants(plan, {});
    constants.arguments[0] = narrow(count);
    Views views;
    views.read[1] = {tensors.indices, Format::kR32};
    views.read[2] = {tensors.indices, Format::kRgba32};
    views.written[0] = {found.tensors.indices, Format::kRgba32};
    encoder.queue.dispatch(Kernel::wrap_indices, constants, views,
                           static_cast<std::uint64_t>(quotient_up(count, kFour)));
    return found;
}

}  // namespace dmlindex::d3d12
