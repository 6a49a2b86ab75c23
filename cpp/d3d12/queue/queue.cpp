#include "d3d12/queue/queue.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "d3d12/host/laps.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::d3d12 {

using namespace std::chrono_literals;

namespace {

constexpr int kMostDispatches = 256;  // of a list, which then has fewer views than there are places
constexpr std::uint64_t kConstantsBytes = kMostDispatches * kConstantsStep;
// Threads, see keep_busy: what an H100 has for 35 µs; and as how many a dispatch counts besides.
constexpr std::uint64_t kMuch = 1 << 20;
constexpr std::uint64_t kStart = 1 << 16;
// A thread that sleeps wakes up some tens of µs late, which counts where work takes no longer.
constexpr std::chrono::milliseconds kPollingTime(2);

}  // namespace

Queue::Queue(ID3D12Device* device, Pipelines& pipelines)
    : device_(device), pipelines_(pipelines), views_(device) {
    D3D12_COMMAND_QUEUE_DESC desc{};
    desc.Type = D3D12_COMMAND_LIST_TYPE_COMPUTE;  // 10 µs sooner done than a direct one, on NVIDIA
    check(device->CreateCommandQueue(&desc, uuidof<ID3D12CommandQueue>(), queue_.put_void()),
          "creating a command queue");
    timeline_.emplace(device, queue_.get());
    for (Batch& batch : batches_) {
        check(device->CreateCommandAllocator(desc.Type, uuidof<ID3D12CommandAllocator>(),
                                             batch.allocator.put_void()),
              "creating a command allocator");
        batch.constants = make_chunk(device, D3D12_HEAP_TYPE_UPLOAD, kConstantsBytes);
        void* mapped = nullptr;
        check(batch.constants->resource->Map(0, nullptr, &mapped), "mapping the constants");
        batch.mapped = static_cast<std::byte*>(mapped);
    }
    check(device->CreateCommandList(0, desc.Type, batches_[0].allocator.get(), nullptr,
                                    uuidof<ID3D12GraphicsCommandList>(), list_.put_void()),
          "creating a command list");
    check(list_->Close(), "closing a command list");
}

void Queue::set_binding(Binding binding) {
    submit();
    binding_ = binding;
}

void Queue::begin() {
    if (recording_) return;
    throw_if_removed();
    prepare();
    recording_ = true;
}

void Queue::prepare() {
    if (is_prepared_) return;
    batch_ = next_batch();
    Batch& batch = batches_[batch_];
    block(batch.value);
    check(batch.allocator->Reset(), "resetting a command allocator");
    batch.constants_used = 0;
    check(list_->Reset(batch.allocator.get(), nullptr), "resetting a command list");
    is_prepared_ = true;
    is_set_up_ = false;
    dispatch_count_ = 0;
    recorded_threads_ = 0;
    pipeline_ = nullptr;
    bound_.fill(0);
}

ID3D12GraphicsCommandList* Queue::recording() {
    begin();
    barrier();
    return list_.get();
}

void Queue::barrier() {
    if (!hazards_.is_needed()) return;
    D3D12_RESOURCE_BARRIER all{};
    all.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;
    list_->ResourceBarrier(1, &all);
    hazards_.clear();
}

// Buffers are COMMON when a list begins, and stay in whatever state they are put into until it
// ends; textures stay in it.
void Queue::require(Chunk& chunk, D3D12_RESOURCE_STATES state) {
    if (chunk.keeps_state) return;
    if (!chunk.is_texture && chunk.state_batch != next_value_) {
        chunk.state = D3D12_RESOURCE_STATE_COMMON;
        chunk.state_batch = next_value_;
        chunk.copied_begin = chunk.copied_end = 0;
    }
    if (chunk.state == state) return;
    chunk.copied_begin = chunk.copied_end = 0;
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
    if (threads == 0) return;  // updates without a place to go to
    if (recording_ && dispatch_count_ == kMostDispatches) submit();
    begin();
    // As even rows as can be: whole rows of most_groups_ would launch up to twice the groups.
    const std::uint64_t groups = quotient_up(threads, kGroup);
    const std::uint64_t rows = quotient_up(groups, most_groups_);
    const std::uint64_t width = quotient_up(groups, rows);

    Constants filled = constants;
    filled.thread_count = static_cast<std::uint32_t>(threads);
    filled.groups_x = static_cast<std::uint32_t>(width);

    Views all = views;
    all.written[kSlotsRegister] = {slots_, Format::kRaw};
    if (!hazards_.allows(kernel, filled, views, slot(0))) barrier();
    hazards_.add(kernel, filled, views, slot(0));
    for (const View& view : all.read) {
        if (!view.span) continue;
        Chunk& chunk = *view.span.chunk;  // a buffer may be read and written at once, in parts
        require(chunk, chunk.is_texture ? D3D12_RESOURCE_STATE_NON_PIXEL_SHADER_RESOURCE
                                        : D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    }
    for (const View& view : all.written) {
        if (view.span) require(*view.span.chunk, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    }
    if (!is_set_up_) {
        list_->SetComputeRootSignature(pipelines_.root_signature(binding_));
        ID3D12DescriptorHeap* heap = views_.heap();
        list_->SetDescriptorHeaps(1, &heap);
        is_set_up_ = true;
    }
    ID3D12PipelineState* const state = pipelines_.state(kernel, binding_);
    pipelines_.note_use(kernel);
    if (state != pipeline_) list_->SetPipelineState(state);
    pipeline_ = state;
    bind_constants(filled);
    if (binding_ == Binding::kTables) {
        bind_tables(kernel, all);
    } else {
        bind_root(all);
    }
    ++dispatch_count_;
    recorded_threads_ += threads + kStart;
    list_->Dispatch(static_cast<UINT>(width), static_cast<UINT>(rows), 1);
}

void Queue::copy(const Span& to, const Span& from, std::uint64_t bytes) {
    recording();
    Chunk& written = *to.chunk;
    require(written, D3D12_RESOURCE_STATE_COPY_DEST);
    if (!written.keeps_state) {
        // Nothing keeps two copies in order but a change of state between them. (What is written in
        // the other heaps is waited for before it is written again.)
        const std::uint64_t end = to.offset + bytes;
        if (to.offset < written.copied_end && written.copied_begin < end) {
            require(written, D3D12_RESOURCE_STATE_COPY_SOURCE);
            require(written, D3D12_RESOURCE_STATE_COPY_DEST);
        }
        const bool is_first = written.copied_end == 0;
        written.copied_begin = is_first ? to.offset : std::min(written.copied_begin, to.offset);
        written.copied_end = std::max(written.copied_end, end);
    }
    require(*from.chunk, D3D12_RESOURCE_STATE_COPY_SOURCE);
    list_->CopyBufferRegion(to.chunk->resource.get(), to.offset, from.chunk->resource.get(),
                            from.offset, bytes);
}

void Queue::skip_where(const Span& words, bool set) {
    recording();
    if (words) require(*words.chunk, D3D12_RESOURCE_STATE_PREDICATION);
    list_->SetPredication(
        words ? words.chunk->resource.get() : nullptr, words.offset,
        set ? D3D12_PREDICATION_OP_NOT_EQUAL_ZERO : D3D12_PREDICATION_OP_EQUAL_ZERO);
}

void Queue::stop_skipping() noexcept {
    if (recording_) list_->SetPredication(nullptr, 0, D3D12_PREDICATION_OP_NOT_EQUAL_ZERO);
}

void Queue::submit() {
    if (!recording_) return;
    const Lap lap(Part::kSubmit);
    barrier();  // nothing else keeps two lists apart
    try {
        timeline_->prepare();
        recording_ = is_prepared_ = false;
        check(list_->Close(), "closing a command list");
        timeline_->check_recorded();  // a view that was not made would be read all the same
        timeline_->submit(list_.get(), next_value_);
    } catch (const Error& error) {
        if (recording_ && error.kind() == ErrorKind::kMemory) throw;  // nothing was sent
        recording_ = is_prepared_ = false;
        lose(error);
    }
    batches_[batch_].value = next_value_++;
    throw_if_removed();
}

void Queue::keep_busy() {
    if (recorded_threads_ >= kMuch && timeline_->completed() + 1 >= next_value_) submit();
}

void Queue::wait(std::uint64_t value) {
    if (value >= next_value_) submit();
    const Lap lap(Part::kWait);
    throw_if_removed();
    // While the GPU is at work, the next list gets ready, if it has not to wait itself.
    if (batches_[next_batch()].value <= timeline_->completed()) prepare();
    block(value);
    throw_if_removed();  // then every value counts as completed
}

void Queue::block(std::uint64_t value) {
    const auto start = std::chrono::steady_clock::now();
    do {  // without yield(), by which another thread of a busy machine gets some milliseconds
        if (timeline_->completed() >= value) return;
    } while (std::chrono::steady_clock::now() - start < kPollingTime);
    while (!waits_a_while(value)) {
        throw_if_removed();
        if (interrupt_ != nullptr) throw_if_interrupted(*interrupt_);
    }
}

bool Queue::waits_a_while(std::uint64_t value) {
    const std::chrono::milliseconds most = interrupt_ == nullptr ? 1000ms : kInterruptTime;
    try {
        return timeline_->wait_for_milliseconds(value, static_cast<int>(most.count()));
    } catch (const Error& error) {
        lose(error);
    }
}

}  // namespace dmlindex::d3d12
