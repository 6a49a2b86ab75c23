// The D3D12 backend: runs plans on tensors in device memory. It knows no operator, no Python, and
// nothing of the CPU backend; nothing here needs a D3D12 header.
//
// Work is queued. An operator that fails does so on the device: an index out of range is found by a
// kernel that runs before anything is written, and what it and the operators that use its result
// would write is then left alone. The error is thrown when the result is downloaded, when the
// failed result is used again, or by synchronize().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "d3d12/host/adapter.hpp"
#include "d3d12/host/interrupt.hpp"
#include "d3d12/host/laps.hpp"
#include "d3d12/profile.hpp"
#include "plan/plan.hpp"

namespace dmlindex::d3d12 {

// What Error(kIndex) says of a bad index, counted in Plan::index_dims. Called on any thread,
// without the GIL.
using Describe = std::function<std::string(const BadIndex&)>;

class Device;
struct Status;
struct MemoryPlace;
struct Span;

inline constexpr std::uint64_t kPartAlignment = 16;
// What is no larger is downloaded whole or not at all. Of more, some may have come before a
// failure.
inline constexpr std::uint64_t kWholeDownloadBytes = 16ull << 20;

// A tensor's bytes on a device. Freed with the last reference; safe to let go of in any thread.
class Memory {
  public:
    Memory(std::shared_ptr<Device> device, std::uint64_t bytes);
    // Bytes of another, from a multiple of kPartAlignment on, which the two share from then on.
    Memory(const Memory& whole, std::uint64_t offset, std::uint64_t bytes);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    const std::shared_ptr<Device>& device() const noexcept { return device_; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    bool is_same(const Memory& other) const noexcept;
    bool overlaps(const Memory& other) const noexcept;
    // Whether it ends where all that was allocated does, or at a multiple of kPartAlignment:
    // kernels write whole pieces of that.
    bool can_be_written() const noexcept;

  private:
    friend class Device;
    Span span() const noexcept;
    bool is_part() const noexcept { return bytes_ != allocated_bytes_; }

    std::shared_ptr<Device> device_;
    std::uint64_t offset_ = 0;  // in the place
    std::uint64_t bytes_;
    std::uint64_t allocated_bytes_;  // of the place
    std::shared_ptr<MemoryPlace> place_;
    // What place_ is let go in: no memory may be asked for then.
    std::list<std::shared_ptr<MemoryPlace>> freed_ = std::list<std::shared_ptr<MemoryPlace>>(1);
    std::shared_ptr<Status> status_;
};

// As cpu::Buffers. Tensors may be one and the same only where that is harmless: source or table
// with nothing else than each other.
struct Operands {
    const Memory* table;
    const Memory* items;
    const Memory* indices;
    const Memory* source;  // null unless the plan copies
};

// Whether shaders can do reductions on the type bit for bit; plans with one on another have to run
// on the CPU.
bool has_reductions(ValueType type) noexcept;

// All members may be called from any thread. After a fork, in the child, all throw Error(kDevice).
class Device : public std::enable_shared_from_this<Device> {
  public:
    // adapter counts in list_adapters(). Throws Error(kDevice). Devices of that adapter that are
    // lost let go of all they have.
    static std::shared_ptr<Device> open(int adapter);
    ~Device();
    // Waits, for a while, until no device is at work any more: drivers that run on the processor
    // must not do so while the process ends, and takes their libraries away.
    static void drain_all() noexcept;

    const Adapter& adapter() const noexcept;
    int adapter_index() const noexcept;
    // Whether the device was removed: everything throws from then on, and a new Device may work.
    bool is_lost() const noexcept;
    // Removes the device, as a crashing driver does, so that tests can see to what comes then.
    void remove();
    // Whether typed views in descriptor tables passed the test when the device was opened.
    bool uses_typed_views() const noexcept;
    // The same of atomics that add.
    AtomicAdds adds() const noexcept;
    // Which kernels it takes. Throws Error(kValue) for values that are out of range.
    void set_profile(const Profile& profile);
    Profile profile();
    // The names of the kernels queued since the last call, for tests.
    std::vector<std::string> take_kernels();
    // What tensors and scratch memory take.
    std::uint64_t used_bytes();

    void upload(const Memory& memory, const void* bytes);
    // Throws the Error(kIndex) of the operator that made the bytes, if it failed.
    void download(const Memory& memory, void* bytes, const Interrupt& interrupt = {});
    void clear(const Memory& memory);
    void copy(const Memory& to, const Memory& from);

    // Queues a canonical plan. describe is called only if the plan may_fail. Throws Error(kDevice)
    // for one that the device cannot run, Error(kMemory) where there is no room for what it takes,
    // and the error of an operand known to have failed: with nothing queued, and all as it was.
    // fresh: the written tensor holds nothing of worth, so that it is unusable if this fails, not
    // merely unchanged.
    void run(const Plan& plan, const Operands& operands, bool fresh, Describe describe);

    // Waits for all that is queued. Throws the first error that nobody has been told of.
    void synchronize(const Interrupt& interrupt = {});

    // For benchmarks. Marks this point of the queue:
    void mark_time();
    // Waits, and says when the GPU was at each point marked since the last call, in nanoseconds.
    std::vector<double> take_times();

    // For tests. Of the allocations to come, the first `passing` go on, and `failing` ones fail:
    // memory, textures, pipelines. (Where there is no room, memory is asked for twice.) Returns how
    // many of those asked for the last time have not failed.
    std::uint64_t fail_allocations(std::uint64_t passing, std::uint64_t failing);
    // For tests. Views have as few texels as that from then on, not 2^27.
    void limit_views(std::int64_t texels);
    // For tests. Rows of a dispatch have as few groups as that from then on, not 65535.
    void limit_rows(std::uint64_t groups);
    // For tests. Until the lock is let go of, nobody else gets at the device.
    std::unique_lock<std::timed_mutex> hold();

  private:
    friend class Memory;
    struct Objects;
    struct State;
    class Use;

    explicit Device(int adapter);
    bool decide_typed_views();
    void set_typed_views(bool used);
    template <typename Number>
    bool adds_up(ValueType type, const std::array<Number, 4>& numbers);
    AtomicAdds decide_adds();
    void set_adds(const AtomicAdds& used);

    std::unique_ptr<State> state_;
};

}  // namespace dmlindex::d3d12
