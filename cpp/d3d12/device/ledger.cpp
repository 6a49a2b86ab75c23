#include "d3d12/device/ledger.hpp"

#include <algorithm>
#include <utility>

#include "d3d12/queue/queue.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::d3d12 {

struct Ledger::SlotWords {
    std::uint32_t first_bad;      // complement; 0: none
    std::uint32_t parent_failed;  // for the kernels
    std::uint32_t low;
    std::uint32_t high;
};

Ledger::Ledger(ID3D12Device* device, Queue& queue)
    : queue_(queue),
      slots_chunk_(make_chunk(device, D3D12_HEAP_TYPE_DEFAULT, kSpareSlot + kSlotBytes)),
      slots_{slots_chunk_.get(), 0, kSpareSlot + kSlotBytes},
      mirror_(make_chunk(device, D3D12_HEAP_TYPE_READBACK, kSlotCount * kSlotBytes)) {
    static_assert(sizeof(SlotWords) == kSlotBytes);
    void* mapped = nullptr;
    check(mirror_->resource->Map(0, nullptr, &mapped), "mapping the error slots");
    mirrored_ = static_cast<const SlotWords*>(mapped);
}

std::uint32_t Ledger::new_slot(const Encoder& encoder) {
    if (pending_.size() == kSlotCount) {
        settle(encoder);
        encode_clear(encoder, slots_, 0);
        pending_.clear();
        mirrored_count_ = settled_count_ = kernels_know_ = 0;
    }
    return static_cast<std::uint32_t>(pending_.size()) * kSlotBytes;
}

void Ledger::enter(const Plan& plan, std::uint32_t slot, const Parents& parents,
                   std::shared_ptr<Status> result, std::shared_ptr<MemoryPlace> indices,
                   const Span& indices_span, Describe describe) {
    pending_.push_back({std::move(describe), std::move(result), parents, capture_of(plan, slot),
                        std::move(indices), indices_span, nullptr});
    if (const auto& kept = pending_.back().indices) ++kept->lookups;
}

void Ledger::flush() {
    const auto used = static_cast<std::uint32_t>(pending_.size());
    if (used > mirrored_count_) mirror_slots(mirrored_count_, used);
    mirrored_count_ = used;
    queue_.submit();
}

void Ledger::mirror_slots(std::uint32_t first, std::uint32_t last) {
    const std::uint64_t offset = std::uint64_t{first} * kSlotBytes;
    const std::uint64_t bytes = std::uint64_t{last - first} * kSlotBytes;
    queue_.copy({mirror_.get(), offset, bytes}, {slots_.chunk, slots_.offset + offset, bytes},
                bytes);
}

void Ledger::settle(const Encoder& encoder) {
    flush();
    queue_.wait(queue_.pending_value());
    look_up_bad_indices(encoder);
    for (; settled_count_ < mirrored_count_; ++settled_count_) {
        Pending& operation = pending_[settled_count_];
        decide(operation);
        if (operation.result->slot == settled_count_ * kSlotBytes) {
            operation.result->slot = kNoSlot;
            operation.result->failure = operation.failure;
        }
        operation.result.reset();
        operation.describe = nullptr;
        let_go_of_indices(operation);
    }
    kernels_know_ = std::max(kernels_know_, settled_count_);
}

// The values of bad indices that are not in the slots yet. Most often there is none.
void Ledger::look_up_bad_indices(const Encoder& encoder) {
    bool found = false;
    for (std::uint32_t i = settled_count_; i < mirrored_count_; ++i) {
        if (mirrored_[i].first_bad == 0 || !pending_[i].indices) continue;
        encode_capture(encoder, pending_[i].capture, pending_[i].indices_span);
        found = true;
    }
    if (!found) return;
    mirror_slots(settled_count_, mirrored_count_);
    queue_.wait(queue_.pending_value());
}

// Whether the operator failed: because one did whose result it uses, or by itself.
void Ledger::decide(Pending& operation) {
    for (const std::uint32_t parent : operation.parents) {
        if (parent == kNoSlot || operation.failure) continue;
        operation.failure = pending_[parent / kSlotBytes].failure;
    }
    const SlotWords& words = mirrored_[operation.capture.slot / kSlotBytes];
    if (operation.failure || words.first_bad == 0) return;
    const std::uint32_t number = ~words.first_bad;
    const std::uint32_t count = operation.capture.coordinate_count;
    const BadIndex bad{number / count, static_cast<int>(number % count),
                       words.low | std::uint64_t{words.high} << 32};
    auto failure = std::make_shared<Failure>(Failure{operation.describe(bad), false});
    note(failure);
    operation.failure = std::move(failure);  // last: should memory run out, this is done again
}

// A program may never synchronize, so that failures are not kept for ever: those that were told are
// dropped, and all behind an untold one that is nobody else's, as nobody can be told of that now.
void Ledger::note(const std::shared_ptr<Failure>& failure) {
    if (failures_.size() >= most_failures_) {
        std::erase_if(failures_, [](const auto& known) { return known->told; });
        const auto last = std::find_if(failures_.begin(), failures_.end(),
                                       [](const auto& known) { return known.use_count() == 1; });
        if (last != failures_.end()) failures_.erase(last + 1, failures_.end());
        most_failures_ = 2 * failures_.size() + 64;
    }
    failures_.push_back(failure);
}

void Ledger::let_go_of_indices(Pending& operation) {
    if (!operation.indices) return;
    --operation.indices->lookups;
    operation.indices.reset();
}

void Ledger::save_bad_indices(const Encoder& encoder, const MemoryPlace& place) {
    for (std::uint32_t i = settled_count_; place.lookups > 0 && i < pending_.size(); ++i) {
        if (pending_[i].indices.get() != &place) continue;
        encode_capture(encoder, pending_[i].capture, pending_[i].indices_span);
        let_go_of_indices(pending_[i]);
    }
}

// An operator without parents can only fail by itself, which kernels see in its slot.
void Ledger::tell_kernels(const Encoder& encoder) {
    const auto used = static_cast<std::uint32_t>(pending_.size());
    while (kernels_know_ < used) {
        if (pending_[kernels_know_].parents == kNoParents) {
            ++kernels_know_;
            continue;
        }
        std::array<Parents, kMostSettled> parents;
        std::size_t count = 0;
        const std::uint32_t first = kernels_know_;
        for (; kernels_know_ < used && count < kMostSettled; ++kernels_know_) {
            parents[count++] = pending_[kernels_know_].parents;
        }
        encode_settling(encoder, first * kSlotBytes, std::span(parents).first(count));
    }
}

std::shared_ptr<Failure> Ledger::take_untold() {
    std::shared_ptr<Failure> first;
    for (const auto& failure : failures_) {
        if (!failure->told && !first) first = failure;
        failure->told = true;
    }
    failures_.clear();
    return first;
}

void raise_if_failed(Status& status) {
    if (!status.failure) return;
    const std::shared_ptr<Failure> failure = status.failure;
    if (!status.fresh) status.failure.reset();  // what it held before is still there
    failure->told = true;
    throw Error(ErrorKind::kIndex, failure->message);
}

}  // namespace dmlindex::d3d12
