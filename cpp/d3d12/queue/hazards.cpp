#include "d3d12/queue/hazards.hpp"

#include <algorithm>

#include "d3d12/memory/rounding.hpp"

namespace dmlindex::d3d12 {
namespace {

// Whether a kernel writes no more than what its writable views show, and its own error slot. The
// general kernels bind what they only read as writable, too.
bool is_known(Kernel kernel) noexcept {
    const bool writes_another_slot =
        kernel == Kernel::list_single_updates_4 || kernel == Kernel::list_single_updates_8;
    return code_of(kernel).typed && !writes_another_slot;
}

}  // namespace

template <typename Visit>
void Hazards::for_each(const Constants& constants, const Views& views, const Span& slots,
                       Visit visit) {
    const auto use = [&](const Span& span, bool writes) {
        if (!span) return;  // kernels write whole pieces of 16 bytes
        visit(
            Use{span.chunk, span.offset, span.offset + round_up(span.bytes, kPieceBytes), writes});
    };
    for (const View& view : views.read) use(view.span, false);
    for (const View& view : views.written) use(view.span, true);
    if (constants.slot != kNoSlot) {
        use({slots.chunk, slots.offset + constants.slot, kSlotBytes},
            constants.slot_use != kSlotSkips);
    }
}

bool Hazards::allows(Kernel kernel, const Constants& constants, const Views& views,
                     const Span& slots) const {
    if (!is_needed()) return true;
    if (is_unknown_ || !is_known(kernel) || uses_.size() > kMostUses) return false;
    bool apart = true;
    for_each(constants, views, slots, [&](const Use& use) {
        apart = apart && std::none_of(uses_.begin(), uses_.end(), [&](const Use& before) {
                    return before.chunk == use.chunk && (before.writes || use.writes) &&
                           before.begin < use.end && use.begin < before.end;
                });
    });
    return apart;
}

void Hazards::add(Kernel kernel, const Constants& constants, const Views& views,
                  const Span& slots) {
    if (!is_known(kernel)) is_unknown_ = true;
    for_each(constants, views, slots, [&](const Use& use) { uses_.push_back(use); });
}

}  // namespace dmlindex::d3d12
