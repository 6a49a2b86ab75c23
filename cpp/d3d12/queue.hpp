// Records commands and submits them. Commands run one after another: a barrier follows each.
#pragma once

#include <array>
#include <atomic>

#include "d3d12/constants.hpp"
#include "d3d12/pipeline.hpp"
#include "d3d12/pool.hpp"

namespace dmlindex::d3d12 {

// What a kernel works on; kernels that don't use one leave it empty.
struct Views {
    Span table;
    Span items;
    Span indices;
    Span scratch;
    Span extra;
    bool writes_table = false;  // typed kernels: else items are written, and table is read
};

class Queue {
  public:
    Queue(ID3D12Device* device, Pipelines& pipelines);

    // Every dispatch sees these as its error slots.
    void set_slots(const Span& slots) { slots_ = slots; }

    // Runs a kernel with one thread for each of `threads`; fills in thread_count and groups_x.
    void dispatch(Kernel kernel, const Constants& constants, const Views& views,
                  std::uint64_t threads);
    void copy(const Span& to, const Span& from, std::uint64_t bytes);

    // The fence value that says that all recorded so far is done.
    std::uint64_t pending_value() const noexcept {
        return recording_ ? next_value_ : next_value_ - 1;
    }
    std::uint64_t value_of_next_command() const noexcept { return next_value_; }
    // Sends what is recorded to the GPU; nothing if nothing is.
    void submit();
    // Submits if need be, and waits for what pending_value() was. Throws Error(kDevice) if the
    // device is gone.
    void wait(std::uint64_t value);

    // S_OK, or why the device is gone: the one place that is asked. From any thread.
    HRESULT removed_reason() const noexcept;
    // Removes the device, as a driver does that has crashed, once all is done that was recorded.
    // Where D3D12 has no way to do so (vkd3d), it only counts as removed.
    void remove_device();

  private:
    // Commands recorded together, and what they need until they have run.
    struct Batch {
        ComPtr<ID3D12CommandAllocator> allocator;
        std::unique_ptr<Chunk> constants;  // in upload memory
        std::byte* mapped = nullptr;
        ComPtr<ID3D12DescriptorHeap> views;
        D3D12_CPU_DESCRIPTOR_HANDLE cpu_views{};
        D3D12_GPU_DESCRIPTOR_HANDLE gpu_views{};
        std::uint64_t constants_used = 0;
        UINT views_used = 0;
        std::uint64_t value = 0;  // of the fence, once it has run
    };

    void begin();
    bool is_full() const noexcept;
    void barrier();
    void require(Chunk& chunk, D3D12_RESOURCE_STATES state);
    void bind_raw(const Views& views);
    void bind_typed(const Views& views);
    D3D12_GPU_DESCRIPTOR_HANDLE make_view(const Span& span, DXGI_FORMAT format, bool writable);
    void throw_if_removed() const;

    ID3D12Device* device_;
    Pipelines& pipelines_;
    Span slots_;
    ComPtr<ID3D12CommandQueue> queue_;
    ComPtr<ID3D12Fence> fence_;
    ComPtr<ID3D12GraphicsCommandList> list_;
    std::array<Batch, 4> batches_;
    std::size_t batch_ = 0;  // the one being recorded
    bool recording_ = false;
    bool has_heap_ = false;                 // this list knows its descriptor heap
    std::atomic<bool> is_removed_ = false;  // by remove_device()
    UINT view_bytes_;
    std::uint64_t next_value_ = 1;
};

}  // namespace dmlindex::d3d12
