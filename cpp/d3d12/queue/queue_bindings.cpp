// What a dispatch is given: constants, and its tensors by root descriptors or by tables.

#include <cstring>
#include <utility>

#include "d3d12/queue/queue.hpp"

namespace dmlindex::d3d12 {

// Whether a root parameter of this list has to be set. vkd3d writes all descriptors anew where
// one changes, which takes longer than all else that a dispatch does.
bool Queue::changes(UINT parameter, std::uint64_t to) noexcept {
    return std::exchange(bound_[parameter], to) != to;
}

void Queue::bind_constants(const Constants& constants) {
    Batch& batch = batches_[batch_];
    const bool is_first = batch.constants_used == 0;
    if (!is_first && std::memcmp(&last_constants_, &constants, sizeof constants) == 0) return;
    last_constants_ = constants;
    std::memcpy(batch.mapped + batch.constants_used, &constants, sizeof constants);
    list_->SetComputeRootConstantBufferView(kConstantsParameter,
                                            batch.constants->address + batch.constants_used);
    batch.constants_used += kConstantsStep;
}

// Where a kernel is given nothing it gets the error slots: Vulkan wants something in every register
// that it declares.
void Queue::bind_root(const Views& views) {
    for (std::size_t i = 0; i < kWrittenRegisters; ++i) {
        const Span& span = views.written[i].span ? views.written[i].span : slots_;
        const UINT parameter = kWrittenParameter + static_cast<UINT>(i);
        if (!changes(parameter, span.address())) continue;
        list_->SetComputeRootUnorderedAccessView(parameter, span.address());
    }
}

void Queue::bind_tables(Kernel kernel, const Views& views) {
    const View nothing{slots_, Format::kRaw};
    // The typed kernels declare what they get, and perhaps winners.
    const KernelCode& code = code_of(kernel);
    for (std::size_t i = 0; i < kWrittenRegisters; ++i) {
        const bool given = static_cast<bool>(views.written[i].span);
        if (!given && code.typed && !(code.winners && i == kWinnersRegister)) continue;
        bind_table(kWrittenParameter + static_cast<UINT>(i), given ? views.written[i] : nothing,
                   true);
    }
    for (std::size_t i = 0; i < kReadRegisters; ++i) {
        if (!views.read[i].span) continue;
        bind_table(kReadParameter + static_cast<UINT>(i), views.read[i], false);
    }
}

void Queue::bind_table(UINT parameter, const View& view, bool writable) {
    const D3D12_GPU_DESCRIPTOR_HANDLE handle = descriptor(view, writable);
    if (changes(parameter, handle.ptr)) list_->SetComputeRootDescriptorTable(parameter, handle);
}

D3D12_GPU_DESCRIPTOR_HANDLE Queue::descriptor(const View& view, bool writable) {
    D3D12_GPU_DESCRIPTOR_HANDLE handle{};
    while (!views_.find(view, writable, next_value_, timeline_->completed(), handle)) {
        block(views_.busy_until());
    }
    return handle;
}

}  // namespace dmlindex::d3d12
