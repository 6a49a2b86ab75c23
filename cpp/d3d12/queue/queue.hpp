// Records commands and submits them. Commands run one after another: barriers keep them apart.
#pragma once

#include <array>
#include <atomic>
#include <optional>

#include "d3d12/host/interrupt.hpp"
#include "d3d12/host/timeline.hpp"
#include "d3d12/memory/pool.hpp"
#include "d3d12/memory/rounding.hpp"
#include "d3d12/memory/views.hpp"
#include "d3d12/queue/hazards.hpp"
#include "d3d12/queue/pipeline.hpp"
#include "d3d12/queue/recorder.hpp"
#include "d3d12/shaders/constants.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::d3d12 {

// From the constants of a dispatch to those of the next.
inline constexpr std::uint64_t kConstantsStep = round_up(sizeof(Constants), kAlignment);

class Queue final : public Recorder {
  public:
    Queue(ID3D12Device* device, Pipelines& pipelines);

    // Every dispatch sees these as its error slots.
    void set_slots(const Span& slots) { slots_ = slots; }
    Span slot(std::uint32_t offset) const noexcept override {
        return {slots_.chunk, slots_.offset + offset, kSlotBytes};
    }
    void set_binding(Binding binding);
    // For tests: rows of a dispatch have fewer groups than D3D12 lets them have.
    void limit_rows(std::uint64_t groups) noexcept { most_groups_ = groups; }
    // What ends waits; null: nothing does.
    void set_interrupt(const Interrupt* interrupt) noexcept { interrupt_ = interrupt; }

    // Opens a list, if none is. Throws Error(kDevice) if the device is gone.
    void begin();
    void dispatch(Kernel kernel, const Constants& constants, const Views& views,
                  std::uint64_t threads) override;
    void skip_where(const Span& words, bool set) override;
    // The same as with an empty span, whatever has gone wrong.
    void stop_skipping() noexcept;
    void copy(const Span& to, const Span& from, std::uint64_t bytes);
    // Makes what a dispatch of the kernel takes, so that it cannot fail for want of memory.
    void make_pipeline(Kernel kernel) { pipelines_.state(kernel, binding_); }

    // For what else records: the list, and what it has to say of a buffer it uses.
    ID3D12GraphicsCommandList* recording();
    void require(Chunk& chunk, D3D12_RESOURCE_STATES state);

    // The value of the timeline that says that all recorded so far is done.
    std::uint64_t pending_value() const noexcept {
        return recording_ ? next_value_ : next_value_ - 1;
    }
    std::uint64_t value_of_next_command() const noexcept { return next_value_; }
    // Sends what is recorded to the GPU; nothing if nothing is.
    void submit();
    // The same if that is much, and the GPU has nothing to do: it is then at work while what
    // follows is recorded. A submission takes about as long as recording four small operators.
    void keep_busy();
    // Submits if need be, and waits for what pending_value() was. Throws Error(kDevice) if the
    // device is gone.
    void wait(std::uint64_t value);
    // Buffers are about to be freed; the GPU must be idle.
    void forget_views() { views_.clear(); }

    // Waits until the GPU is at nothing any more that was submitted, also where a device only
    // counts as removed. Gives up after a while.
    void drain() noexcept;

    // Ticks a second of the timestamps that lists take.
    std::uint64_t timestamp_frequency() const;

    // S_OK, or why the device is gone: the one place that is asked. From any thread.
    HRESULT removed_reason() const noexcept;
    // After an error that leaves open what was done: the device counts as removed from now on.
    // Throws what says so.
    [[noreturn]] void lose(const Error& error);
    // Removes the device, as a driver does that has crashed, once all is done that was recorded.
    // Where D3D12 has no way to do so (vkd3d), it only counts as removed.
    void remove_device();

  private:
    // Memory for the commands and the constants of a list, until it has run.
    struct Batch {
        ComPtr<ID3D12CommandAllocator> allocator;
        std::unique_ptr<Chunk> constants;  // in upload memory
        std::byte* mapped = nullptr;
        std::uint64_t constants_used = 0;
        std::uint64_t value = 0;  // of the timeline, once the list has run
    };

    void prepare();
    std::size_t next_batch() const noexcept { return (batch_ + 1) % batches_.size(); }
    // Where what was recorded last is to be seen by what comes next.
    void barrier();
    void bind_constants(const Constants& constants);
    void bind_root(const Views& views);
    void bind_tables(Kernel kernel, const Views& views);
    void bind_table(UINT parameter, const View& view, bool writable);
    bool changes(UINT parameter, std::uint64_t to) noexcept;
    D3D12_GPU_DESCRIPTOR_HANDLE descriptor(const View& view, bool writable);
    void block(std::uint64_t value);
    // Whether value was reached meanwhile.
    bool waits_a_while(std::uint64_t value);
    void throw_if_removed() const;

    ID3D12Device* device_;
    Pipelines& pipelines_;
    ViewRing views_;
    Binding binding_ = Binding::kRoot;
    std::uint64_t most_groups_ = D3D12_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION;
    Span slots_;
    ComPtr<ID3D12CommandQueue> queue_;
    std::optional<Timeline> timeline_;
    ComPtr<ID3D12GraphicsCommandList> list_;
    std::array<Batch, 8> batches_;
    std::size_t batch_ = 0;  // the one being recorded
    bool recording_ = false;
    bool is_prepared_ = false;              // the list is open, with nothing in it yet
    std::atomic<bool> is_removed_ = false;  // whatever the device itself says
    bool is_set_up_ = false;                // this list knows its root signature
    int dispatch_count_ = 0;                // in this list
    std::uint64_t recorded_threads_ = 0;    // of its dispatches
    ID3D12PipelineState* pipeline_ = nullptr;
    Constants last_constants_;                        // of this list
    std::array<std::uint64_t, kParameters> bound_{};  // in this list
    Hazards hazards_;
    std::uint64_t next_value_ = 1;
    const Interrupt* interrupt_ = nullptr;
};

}  // namespace dmlindex::d3d12
