// How a plan is queued.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "d3d12/device/device_state.hpp"
#include "d3d12/encode/limits.hpp"
#include "d3d12/encode/line.hpp"

namespace dmlindex::d3d12 {

void Device::run(const Plan& given, const Operands& operands, bool fresh, Describe describe) {
    const Lap lap(Part::kRun);
    const Use use(*state_);
    Objects& state = *use;
    const auto tensor = [](const Memory* memory) {
        return memory == nullptr ? Span{} : memory->span();
    };
    const Tensors tensors{tensor(operands.table), tensor(operands.items), tensor(operands.indices),
                          tensor(operands.source)};
    const std::optional<Plan> changed =
        given.is_linear ? std::optional(put_on_line(given, tensors)) : sum_of_parts(given);
    const Plan& plan = changed ? *changed : given;
    const Reach reach{state.typed_views, state.texels, state.profile, state.adapter.is_software,
                      state.adds};
    const std::vector<Section> sections = find_sections(plan, tensors, reach);

    const bool gathers = plan.direction == Direction::kGather;
    const Memory& written = gathers ? *operands.items : *operands.table;
    // What is written counts as read where bytes stay as they were.
    const bool keeps_bytes = written.is_part() || (!gathers && !plan.copies_source);
    const Memory* read[] = {gathers ? operands.table : operands.items, operands.indices,
                            operands.source, keeps_bytes ? &written : nullptr};
    const auto is_pending = [](const Memory* memory) {
        return memory != nullptr && memory->status_->slot != kNoSlot;
    };
    const auto raise_known_failures = [&] {
        for (const Memory* memory : read) {
            if (memory != nullptr) raise_if_failed(*memory->status_);
        }
    };
    std::uint32_t slot = kNoSlot;
    const bool checks = may_fail(plan);
    if (checks || std::any_of(std::begin(read), std::end(read), is_pending))
        slot = state.ledger.new_slot(state.encoder());
    raise_known_failures();
    try {
        // All that may fail for want of memory comes first: until then nothing is written, and
        // where the operators before this one are settled to find room, it is not yet among them.
        //
        // Nobody sees what a failed operator writes to a fresh tensor. Any other stays as it is.
        const Encoder later = state.encoder(state.commands);
        const bool may_note = checks && moves_can_note(plan) && sections.empty();
        const std::optional<Section> resolved =
            sections.empty() ? encode_wrapped(later, plan, tensors) : std::nullopt;
        const Plan& moved = resolved ? resolved->plan : plan;
        const Tensors& moving = resolved ? resolved->tensors : tensors;
        const Choice choice = choose(moved, moving, reach);
        const bool notes = may_note && (fresh || moves_can_hold(moved, choice));
        if (checks && !notes) encode_checks(later, plan, tensors, slot);
        Slot asked{slot, kSlotSkips};
        if (notes) asked.use = fresh ? kSlotNotes : kSlotHolds;
        if (fresh && !notes) asked.offset = kNoSlot;
        if (sections.empty()) {
            encode_moves(later, moved, choice, moving, asked);
        } else {
            encode_sections(later, plan, tensors, sections, asked, [&] {
                // What is uploaded comes before all kernels, and must not meet what they write.
                if (plan.value_type != ValueType::kByteTable) state.release_scratch();
            });
        }
        state.commands.prepare();
        const bool tells = slot != kNoSlot && !fresh;
        if (tells) state.queue.make_pipeline(Kernel::inherit_failures);
        if (written.place_->lookups > 0) state.queue.make_pipeline(Kernel::keep_bad_index);
        const Lap recording(Part::kRecord);
        state.queue.keep_busy();
        state.queue.begin();
        raise_known_failures();

        Parents parents;
        for (std::size_t i = 0; i < parents.size(); ++i) {
            parents[i] = is_pending(read[i]) ? read[i]->status_->slot : kNoSlot;
        }
        if (slot != kNoSlot) {
            state.ledger.enter(plan, slot, parents, written.status_,
                               checks ? operands.indices->place_ : nullptr, tensors.indices,
                               std::move(describe));
        }
        Status& status = *written.status_;
        const bool unusable = status.fresh && (status.slot != kNoSlot || status.failure);
        status.slot = slot;
        status.failure.reset();
        status.fresh = fresh || unusable;

        if (tells) state.ledger.tell_kernels(state.encoder());
        if (!fresh) state.ledger.save_bad_indices(state.encoder(), *written.place_);
        state.commands.record();
    } catch (...) {
        state.commands.clear();
        state.release_scratch();
        throw;
    }
    state.release_scratch();
}

}  // namespace dmlindex::d3d12
