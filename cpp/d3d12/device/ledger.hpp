// The operators that may fail and of which the host does not know yet whether they did. Each has an
// error slot on the device, where kernels note its first bad index; the host reads a copy of the
// slots once the GPU is done.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "d3d12/backend.hpp"
#include "d3d12/encode/encode.hpp"

namespace dmlindex::d3d12 {

// An operator's error, once the host knows of it.
struct Failure {
    std::string message;
    bool told = false;  // somebody got it as an exception
};

// Whether a tensor's bytes can be used; the operators that write it set this when they are queued.
struct Status {
    std::uint32_t slot = kNoSlot;      // will tell; kNoSlot: nothing to wait for
    std::shared_ptr<Failure> failure;  // what went wrong
    bool fresh = false;                // after a failure there is nothing in it
};

// Where a tensor lies. Operators whose bad index may still have to be looked up hold the place of
// their indices, too.
struct MemoryPlace {
    explicit MemoryPlace(const std::shared_ptr<Pool>& memory_pool) : pool(memory_pool) {}
    MemoryPlace(const MemoryPlace&) = delete;
    MemoryPlace& operator=(const MemoryPlace&) = delete;
    ~MemoryPlace() {
        if (const auto still_there = pool.lock()) still_there->release(span);
    }

    std::weak_ptr<Pool> pool;  // gone with a device that was lost
    Span span;                 // of the pool, once there is one
    int lookups = 0;           // operators that hold it as their indices
};

class Ledger {
  public:
    Ledger(ID3D12Device* device, Queue& queue);

    // What kernels see.
    const Span& slots() const noexcept { return slots_; }

    // The slot for the next operator. Where none is left, settles all first.
    std::uint32_t new_slot(const Encoder& encoder);
    // Enters the operator that has just got a slot. indices: where those in the span lie; null if
    // no index can be bad.
    void enter(const Plan& plan, std::uint32_t slot, const Parents& parents,
               std::shared_ptr<Status> result, std::shared_ptr<MemoryPlace> indices,
               const Span& indices_span, Describe describe);

    // Sends everything on its way, the slots to the host included.
    void flush();
    // Waits for the GPU, and learns which operators have failed.
    void settle(const Encoder& encoder);
    // The place is about to be written to: what operators want to know of it, they have to learn
    // now.
    void save_bad_indices(const Encoder& encoder, const MemoryPlace& place);
    // The kernels of the last operator are to know whether one before it has failed.
    void tell_kernels(const Encoder& encoder);

    // The first failure since the last call that nobody was told of, if any. Counts as told.
    std::shared_ptr<Failure> take_untold();

  private:
    struct Pending {
        Describe describe;
        std::shared_ptr<Status> result;
        Parents parents;
        Capture capture;
        std::shared_ptr<MemoryPlace> indices;  // while the bad index's value is not in the slot
        Span indices_span;
        std::shared_ptr<Failure> failure;
    };
    struct SlotWords;

    void mirror_slots(std::uint32_t first, std::uint32_t last);
    void look_up_bad_indices(const Encoder& encoder);
    void decide(Pending& operation);
    void note(const std::shared_ptr<Failure>& failure);
    static void let_go_of_indices(Pending& operation);

    Queue& queue_;
    std::unique_ptr<Chunk> slots_chunk_;
    Span slots_;
    std::unique_ptr<Chunk> mirror_;  // of the slots, in readback memory
    const SlotWords* mirrored_;
    std::deque<Pending> pending_;       // by slot
    std::uint32_t mirrored_count_ = 0;  // slots before it are on their way to the mirror
    std::uint32_t settled_count_ = 0;   // slots before it are known to the host
    std::uint32_t kernels_know_ = 0;    // slots before it say to kernels whether to skip
    std::vector<std::shared_ptr<Failure>> failures_;  // the first untold one is among them
    std::size_t most_failures_ = 64;                  // before those of no use are dropped
};

// Throws what went wrong with a tensor, as far as the host knows.
void raise_if_failed(Status& status);

}  // namespace dmlindex::d3d12
