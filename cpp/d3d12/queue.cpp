#include "d3d12/queue.hpp"

#include <algorithm>
#include <cstring>

#include "error.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::uint64_t kConstantsBytes = 256 << 10;  // of a batch
constexpr UINT kViewsPerBatch = 1024;
constexpr UINT kViewsPerDispatch = 3;
constexpr std::uint64_t kMaxGroups = 65535;  // in a row

// A getter that returns a struct: compilers disagree on how, so the vtable is called by hand.
template <typename Handle>
Handle heap_start(ID3D12DescriptorHeap* heap, int slot) {
#ifdef DMLINDEX_D3D12_WSL
    using Getter = Handle (*)(void*);
    return (*reinterpret_cast<Getter**>(heap))[slot](heap);
#else
    using Getter = Handle*(WINAPI*)(void*, Handle*);
    Handle handle{};
    (*reinterpret_cast<Getter**>(heap))[slot](heap, &handle);
    return handle;
#endif
}

constexpr int kCpuHeapStartSlot = 9;
constexpr int kGpuHeapStartSlot = 10;

}  // namespace

Queue::Queue(ID3D12Device* device, Pipelines& pipelines) : device_(device), pipelines_(pipelines) {
    D3D12_COMMAND_QUEUE_DESC desc{};
    desc.Type = D3D12_COMMAND_LIST_TYPE_DIRECT;
    check(device->CreateCommandQueue(&desc, uuidof<ID3D12CommandQueue>(), queue_.put_void()),
          "creating a command queue");
    check(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, uuidof<ID3D12Fence>(), fence_.put_void()),
          "creating a fence");
    view_bytes_ = device->GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    for (Batch& batch : batches_) {
        check(device->CreateCommandAllocator(desc.Type, uuidof<ID3D12CommandAllocator>(),
                                             batch.allocator.put_void()),
              "creating a command allocator");
        batch.constants = make_chunk(device, D3D12_HEAP_TYPE_UPLOAD, kConstantsBytes);
        void* mapped = nullptr;
        check(batch.constants->resource->Map(0, nullptr, &mapped), "mapping the constants");
        batch.mapped = static_cast<std::byte*>(mapped);
        D3D12_DESCRIPTOR_HEAP_DESC heap{};
        heap.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
        heap.NumDescriptors = kViewsPerBatch;
        heap.Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
        check(device->CreateDescriptorHeap(&heap, uuidof<ID3D12DescriptorHeap>(),
                                           batch.views.put_void()),
              "creating a descriptor heap");
        batch.cpu_views =
            heap_start<D3D12_CPU_DESCRIPTOR_HANDLE>(batch.views.get(), kCpuHeapStartSlot);
        batch.gpu_views =
            heap_start<D3D12_GPU_DESCRIPTOR_HANDLE>(batch.views.get(), kGpuHeapStartSlot);
    }
    check(device->CreateCommandList(0, desc.Type, batches_[0].allocator.get(), nullptr,
                                    uuidof<ID3D12GraphicsCommandList>(), list_.put_void()),
          "creating a command list");
    check(list_->Close(), "closing a command list");
}

void Queue::begin() {
    if (recording_) return;
    throw_if_removed();
    batch_ = (batch_ + 1) % batches_.size();
    Batch& batch = batches_[batch_];
    wait(batch.value);
    check(batch.allocator->Reset(), "resetting a command allocator");
    check(list_->Reset(batch.allocator.get(), nullptr), "resetting a command list");
    batch.constants_used = 0;
    batch.views_used = 0;
    recording_ = true;
    has_heap_ = false;
}

bool Queue::is_full() const noexcept {
    const Batch& batch = batches_[batch_];
    return batch.constants_used + sizeof(Constants) > kConstantsBytes ||
           batch.views_used + kViewsPerDispatch > kViewsPerBatch;
}

void Queue::barrier() {
    D3D12_RESOURCE_BARRIER all{};
    all.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;
    list_->ResourceBarrier(1, &all);
}

// Buffers are COMMON when a list begins, and stay in whatever state they are put into until it
// ends.
void Queue::require(Chunk& chunk, D3D12_RESOURCE_STATES state) {
    if (chunk.keeps_state) return;
    if (chunk.state_batch != next_value_) {
        chunk.state = D3D12_RESOURCE_STATE_COMMON;
        chunk.state_batch = next_value_;
    }
    if (chunk.state == state) return;
    D3D12_RESOURCE_BARRIER transition{};
    transition.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION;
    transition.Transition.pResource = chunk.resource.get();
    transition.Transition.Subresource = D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES;
    transition.Transition.StateBefore = chunk.state;
    transition.Transition.StateAfter = state;
    list_->ResourceBarrier(1, &transition);
    chunk.state = state;
}

void Queue::dispatch(Kernel kernel, const Constants& constants, const Views& views,
                     std::uint64_t threads) {
    begin();
    if (is_full()) {
        submit();
        begin();
    }
    const std::uint64_t groups = (threads + kGroup - 1) / kGroup;
    const std::uint64_t rows = (groups + kMaxGroups - 1) / kMaxGroups;
    const std::uint64_t width = (groups + rows - 1) / rows;

    Batch& batch = batches_[batch_];
    Constants filled = constants;
    filled.thread_count = static_cast<std::uint32_t>(threads);
    filled.groups_x = static_cast<std::uint32_t>(width);
    std::memcpy(batch.mapped + batch.constants_used, &filled, sizeof filled);
    const D3D12_GPU_VIRTUAL_ADDRESS address = batch.constants->address + batch.constants_used;
    batch.constants_used += (sizeof filled + kAlignment - 1) / kAlignment * kAlignment;

    const Span* const used[] = {&views.table,   &views.items, &views.indices,
                                &views.scratch, &views.extra, &slots_};
    for (const Span* span : used) {
        if (*span) require(*span->chunk, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    }
    const bool typed = kKernelCodes[static_cast<std::size_t>(kernel)].typed;
    list_->SetComputeRootSignature(pipelines_.root_signature(typed));
    list_->SetPipelineState(pipelines_.state(kernel));
    list_->SetComputeRootConstantBufferView(0, address);
    if (typed) {
        bind_typed(views);
    } else {
        bind_raw(views);
    }
    list_->Dispatch(static_cast<UINT>(width), static_cast<UINT>(rows), 1);
    barrier();
}

void Queue::bind_raw(const Views& views) {
    auto bind = [&](UINT root, const Span& span) {
        list_->SetComputeRootUnorderedAccessView(root, (span ? span : slots_).address());
    };
    bind(kRawTable, views.table);
    bind(kRawItems, views.items);
    bind(kRawIndices, views.indices);
    bind(kRawSlots, slots_);
    bind(kRawScratch, views.scratch);
    bind(kRawExtra, views.extra);
}

void Queue::bind_typed(const Views& views) {
    if (!has_heap_) {
        ID3D12DescriptorHeap* heap = batches_[batch_].views.get();
        list_->SetDescriptorHeaps(1, &heap);
        has_heap_ = true;
    }
    const Span& read = views.writes_table ? views.items : views.table;
    const Span& written = views.writes_table ? views.table : views.items;
    const Span& indices = views.indices ? views.indices : slots_;
    list_->SetComputeRootDescriptorTable(kTypedRead,
                                         make_view(read, DXGI_FORMAT_R32G32B32A32_UINT, false));
    list_->SetComputeRootDescriptorTable(kTypedIndices,
                                         make_view(indices, DXGI_FORMAT_R32_UINT, false));
    list_->SetComputeRootDescriptorTable(kTypedWritten,
                                         make_view(written, DXGI_FORMAT_R32G32B32A32_UINT, true));
    list_->SetComputeRootUnorderedAccessView(kTypedSlots, slots_.address());
    list_->SetComputeRootUnorderedAccessView(kTypedScratch,
                                             (views.scratch ? views.scratch : slots_).address());
}

D3D12_GPU_DESCRIPTOR_HANDLE Queue::make_view(const Span& span, DXGI_FORMAT format, bool writable) {
    Batch& batch = batches_[batch_];
    const std::uint64_t texel_bytes = format == DXGI_FORMAT_R32_UINT ? 4 : 16;
    const UINT skipped_bytes = batch.views_used++ * view_bytes_;
    const D3D12_CPU_DESCRIPTOR_HANDLE place{batch.cpu_views.ptr + skipped_bytes};
    const UINT64 first = span.offset / texel_bytes;
    // Rounded up: a tensor may use the rest of its last 256 bytes.
    const UINT count = static_cast<UINT>((span.bytes + texel_bytes - 1) / texel_bytes);
    if (writable) {
        D3D12_UNORDERED_ACCESS_VIEW_DESC desc{};
        desc.Format = format;
        desc.ViewDimension = D3D12_UAV_DIMENSION_BUFFER;
        desc.Buffer.FirstElement = first;
        desc.Buffer.NumElements = count;
        device_->CreateUnorderedAccessView(span.chunk->resource.get(), nullptr, &desc, place);
    } else {
        D3D12_SHADER_RESOURCE_VIEW_DESC desc{};
        desc.Format = format;
        desc.ViewDimension = D3D12_SRV_DIMENSION_BUFFER;
        desc.Shader4ComponentMapping = D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING;
        desc.Buffer.FirstElement = first;
        desc.Buffer.NumElements = count;
        device_->CreateShaderResourceView(span.chunk->resource.get(), &desc, place);
    }
    return {batch.gpu_views.ptr + skipped_bytes};
}

void Queue::copy(const Span& to, const Span& from, std::uint64_t bytes) {
    begin();
    require(*to.chunk, D3D12_RESOURCE_STATE_COPY_DEST);
    require(*from.chunk, D3D12_RESOURCE_STATE_COPY_SOURCE);
    list_->CopyBufferRegion(to.chunk->resource.get(), to.offset, from.chunk->resource.get(),
                            from.offset, bytes);
}

void Queue::submit() {
    if (!recording_) return;
    recording_ = false;
    check(list_->Close(), "closing a command list");
    ID3D12CommandList* lists[] = {list_.get()};
    queue_->ExecuteCommandLists(1, lists);
    check(queue_->Signal(fence_.get(), next_value_), "signalling a fence");
    batches_[batch_].value = next_value_++;
    throw_if_removed();
}

void Queue::wait(std::uint64_t value) {
    if (value >= next_value_) submit();
    if (fence_->GetCompletedValue() < value) {
        auto event = std::make_unique<Event>();
        check(fence_->SetEventOnCompletion(value, event->handle()), "waiting for a fence");
        while (!event->wait_for_milliseconds(1000)) {
            // A lost device may never signal the event, or signal it later: then it has to live on.
            if (removed_reason() != S_OK) (void)event.release();
            throw_if_removed();
        }
    }
    throw_if_removed();  // then every value counts as completed
}

HRESULT Queue::removed_reason() const noexcept {
    return is_removed_ ? kDeviceRemoved : device_->GetDeviceRemovedReason();
}

void Queue::throw_if_removed() const {
    print_debug_messages(device_);
    const HRESULT reason = removed_reason();
    if (reason != S_OK) throw_removed(reason);
}

void Queue::remove_device() {
    wait(pending_value());
    ComPtr<ID3D12Device5> device;
    if (SUCCEEDED(device_->QueryInterface(uuidof<ID3D12Device5>(), device.put_void()))) {
        device->RemoveDevice();
    }
    is_removed_ = true;
}

}  // namespace dmlindex::d3d12
