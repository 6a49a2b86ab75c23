#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <span>

#include "d3d12/backend.hpp"
#include "d3d12/encode.hpp"
#include "d3d12/process.hpp"
#include "d3d12/staging.hpp"
#include "d3d12/timestamps.hpp"
#include "error.hpp"

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
    MemoryPlace(Pool& memory_pool, const Span& span_of_it) : pool(memory_pool), span(span_of_it) {}
    MemoryPlace(const MemoryPlace&) = delete;
    MemoryPlace& operator=(const MemoryPlace&) = delete;
    ~MemoryPlace() { pool.release(span); }

    Pool& pool;
    Span span;
    int lookups = 0;  // operators that hold it as their indices
};

namespace {

constexpr std::uint32_t kSlotCount = 4096;

// An operator that has a slot.
struct Pending {
    Describe describe;
    std::shared_ptr<Status> result;
    Parents parents;
    Constants capture;                     // for encode_capture
    std::shared_ptr<MemoryPlace> indices;  // while the bad index's value is not in the slot
    std::shared_ptr<Failure> failure;
};

struct SlotWords {
    std::uint32_t first_bad;  // complement; 0: none
    std::uint32_t origin;     // for the kernels
    std::uint32_t low;
    std::uint32_t high;
};
static_assert(sizeof(SlotWords) == kSlotBytes);

}  // namespace

struct Device::State {
    explicit State(int adapter_index)
        : adapter(Library::get().adapters()[static_cast<std::size_t>(adapter_index)]),
          index(adapter_index),
          process(process_number()),
          device(Library::get().create_device(adapter_index)),
          pipelines(Library::get(), device.get()),
          queue(device.get(), pipelines),
          pool(device.get()),
          uploads(device.get(), queue, D3D12_HEAP_TYPE_UPLOAD),
          readbacks(device.get(), queue, D3D12_HEAP_TYPE_READBACK),
          slots_chunk(make_chunk(device.get(), D3D12_HEAP_TYPE_DEFAULT, kSlotCount * kSlotBytes)),
          mirror(make_chunk(device.get(), D3D12_HEAP_TYPE_READBACK, kSlotCount * kSlotBytes)) {
        void* mapped = nullptr;
        check(mirror->resource->Map(0, nullptr, &mapped), "mapping the error slots");
        mirrored = static_cast<const SlotWords*>(mapped);
        slots = {slots_chunk.get(), 0, kSlotCount * kSlotBytes};
        queue.set_slots(slots);
        encode_clear(encoder(), slots, 0);
    }

    Encoder encoder() {
        const auto take = [this](std::uint64_t bytes) {
            scratch.push_back(allocate(bytes));
            return scratch.back();
        };
        const auto upload = [this, take](const void* bytes, std::uint64_t count) {
            const Span span = take(count);
            const Staging::Piece piece = uploads.take(count);
            std::memcpy(piece.mapped, bytes, count);
            queue.copy(span, piece.span, count);
            return span;
        };
        return {queue, typed_views, take, upload};
    }

    void release_scratch() {
        for (const Span& span : scratch) pool.release(span);
        scratch.clear();
    }

    // Whoever lets go of a tensor may hold Python's lock, and must not wait for the queue's user.
    void free_later(std::shared_ptr<MemoryPlace> place) {
        const std::lock_guard lock(freed_mutex);
        freed.push_back(std::move(place));
    }

    void free_now() {
        const std::lock_guard lock(freed_mutex);
        freed.clear();
    }

    // Device memory; where there is none left, waits for the GPU and frees what nobody uses.
    Span allocate(std::uint64_t bytes) {
        free_now();
        try {
            return pool.allocate(bytes);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::kMemory) throw;
        }
        settle();
        free_now();
        queue.forget_views();
        pool.trim();
        try {
            return pool.allocate(bytes);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::kMemory) throw;
            throw Error(ErrorKind::kMemory, "d3d12: no room for " + std::to_string(bytes) +
                                                " bytes on " + adapter.description + ", where " +
                                                std::to_string(pool.used_bytes()) +
                                                " are in use; let go of device tensors");
        }
    }

    // Sends everything on its way, the slots to the host included.
    void flush() {
        const auto used = static_cast<std::uint32_t>(pending.size());
        if (used > mirrored_count) mirror_slots(mirrored_count, used);
        mirrored_count = used;
        queue.submit();
    }

    void mirror_slots(std::uint32_t first, std::uint32_t last) {
        const std::uint64_t offset = std::uint64_t{first} * kSlotBytes;
        const std::uint64_t bytes = std::uint64_t{last - first} * kSlotBytes;
        queue.copy({mirror.get(), offset, bytes}, {slots.chunk, slots.offset + offset, bytes},
                   bytes);
    }

    // Waits for the GPU, and learns which operators have failed.
    void settle() {
        flush();
        queue.wait(queue.pending_value());
        look_up_bad_indices();
        for (; settled_count < mirrored_count; ++settled_count) {
            Pending& operation = pending[settled_count];
            decide(operation);
            if (operation.result->slot == settled_count * kSlotBytes) {
                operation.result->slot = kNoSlot;
                operation.result->failure = operation.failure;
            }
            operation.result.reset();
            operation.describe = nullptr;
            let_go_of_indices(operation);
        }
        kernels_know = std::max(kernels_know, settled_count);
    }

    // The values of bad indices that are not in the slots yet. Most often there is none.
    void look_up_bad_indices() {
        bool found = false;
        for (std::uint32_t i = settled_count; i < mirrored_count; ++i) {
            if (mirrored[i].first_bad == 0 || !pending[i].indices) continue;
            encode_capture(encoder(), pending[i].capture, pending[i].indices->span);
            found = true;
        }
        if (!found) return;
        mirror_slots(settled_count, mirrored_count);
        queue.wait(queue.pending_value());
    }

    // Whether the operator failed: because one did whose result it uses, or by itself.
    void decide(Pending& operation) {
        for (const std::uint32_t parent : operation.parents) {
            if (parent == kNoSlot || operation.failure) continue;
            operation.failure = pending[parent / kSlotBytes].failure;
        }
        const SlotWords& words = mirrored[operation.capture.slot / kSlotBytes];
        if (operation.failure || words.first_bad == 0) return;
        const std::uint32_t number = ~words.first_bad;
        const std::uint32_t count = operation.capture.coordinate_count;
        const BadIndex bad{number / count, static_cast<int>(number % count),
                           words.low | std::uint64_t{words.high} << 32};
        operation.failure = std::make_shared<Failure>(Failure{operation.describe(bad), false});
        failures.push_back(operation.failure);
    }

    static void let_go_of_indices(Pending& operation) {
        if (!operation.indices) return;
        --operation.indices->lookups;
        operation.indices.reset();
    }

    // The place is about to be written to: what operators want to know of it, they have to learn
    // now.
    void save_bad_indices(const MemoryPlace& place) {
        for (std::uint32_t i = settled_count; place.lookups > 0 && i < pending.size(); ++i) {
            if (pending[i].indices.get() != &place) continue;
            encode_capture(encoder(), pending[i].capture, place.span);
            let_go_of_indices(pending[i]);
        }
    }

    // The kernels of the last operator are to know whether one before it has failed.
    void tell_kernels() {
        const auto used = static_cast<std::uint32_t>(pending.size());
        while (kernels_know < used) {
            std::array<Parents, kMostSettled> parents;
            std::size_t count = 0;
            const std::uint32_t first = kernels_know;
            for (; kernels_know < used && count < kMostSettled; ++kernels_know) {
                parents[count++] = pending[kernels_know].parents;
            }
            encode_settling(encoder(), first * kSlotBytes, std::span(parents).first(count));
        }
    }

    std::uint32_t new_slot() {
        if (pending.size() == kSlotCount) {
            settle();
            encode_clear(encoder(), slots, 0);
            pending.clear();
            mirrored_count = settled_count = kernels_know = 0;
        }
        return static_cast<std::uint32_t>(pending.size()) * kSlotBytes;
    }

    // Throws what went wrong with a tensor, as far as the host knows.
    static void raise_if_failed(Status& status) {
        if (!status.failure) return;
        const std::shared_ptr<Failure> failure = status.failure;
        if (!status.fresh) status.failure.reset();  // what it held before is still there
        failure->told = true;
        throw Error(ErrorKind::kIndex, failure->message);
    }

    void check_process() const {
        if (process == process_number()) return;
        throw Error(
            ErrorKind::kDevice,
            "d3d12: this device was opened before a fork, and cannot be used in the child process; "
            "start processes with the method \"spawn\", or first use the device after the fork");
    }

    const Adapter& adapter;
    int index;
    int process;
    std::mutex mutex;  // held while anything below is used
    ComPtr<ID3D12Device> device;
    Pipelines pipelines;
    Queue queue;
    Pool pool;
    Staging uploads;
    Staging readbacks;
    std::optional<Timestamps> timestamps;  // once they are asked for
    bool typed_views = false;
    std::vector<Span> scratch;
    std::mutex freed_mutex;
    std::vector<std::shared_ptr<MemoryPlace>> freed;  // by their tensors, and not yet given back

    std::unique_ptr<Chunk> slots_chunk;
    Span slots;
    std::unique_ptr<Chunk> mirror;  // of the slots, in readback memory
    const SlotWords* mirrored;
    std::deque<Pending> pending;       // by slot
    std::uint32_t mirrored_count = 0;  // slots before it are on their way to the mirror
    std::uint32_t settled_count = 0;   // slots before it are known to the host
    std::uint32_t kernels_know = 0;    // slots before it say to kernels whether to skip
    std::vector<std::shared_ptr<Failure>> failures;  // since the last synchronize()
};

Memory::Memory(std::shared_ptr<Device> device, std::uint64_t bytes)
    : device_(std::move(device)), bytes_(bytes), status_(std::make_shared<Status>()) {
    Device::State& state = *device_->state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    place_ = std::make_shared<MemoryPlace>(state.pool, state.allocate(bytes));
}

Memory::~Memory() {
    Device::State& state = *device_->state_;
    if (state.process != process_number()) {
        new std::shared_ptr<MemoryPlace>(std::move(place_));  // the parent's: it stays
        return;
    }
    state.free_later(std::move(place_));
}

std::shared_ptr<Device> Device::open(int adapter) {
    Library& library = Library::get();
    if (!library.reason().empty()) throw Error(ErrorKind::kDevice, "d3d12: " + library.reason());
    const auto count = static_cast<int>(library.adapters().size());
    if (adapter < 0 || adapter >= count) {
        throw Error(ErrorKind::kDevice, "d3d12: there is no adapter " + std::to_string(adapter) +
                                            "; the adapters are 0 to " + std::to_string(count - 1));
    }
    std::shared_ptr<Device> device(new Device(adapter));
    device->set_typed_views(device->decide_typed_views());
    return device;
}

Device::Device(int adapter) : state_(std::make_unique<State>(adapter)) {}

Device::~Device() {
    if (state_->process != process_number()) {
        (void)state_.release();  // the parent's: nothing of it may be touched here
        return;
    }
    try {
        state_->queue.wait(state_->queue.pending_value());
    } catch (const Error&) {
        // The device is gone, and so is its work.
    }
}

const Adapter& Device::adapter() const noexcept { return state_->adapter; }
int Device::adapter_index() const noexcept { return state_->index; }
bool Device::is_lost() const noexcept { return state_->queue.removed_reason() != S_OK; }
void Device::set_typed_views(bool used) {
    state_->typed_views = used;
    state_->queue.set_binding(used ? Binding::kTables : Binding::kRoot);
}
bool Device::uses_typed_views() const noexcept { return state_->typed_views; }

namespace {

Span exactly(const Span& span, std::uint64_t bytes) { return {span.chunk, span.offset, bytes}; }

Span part(const Span& span, std::uint64_t offset) { return {span.chunk, span.offset + offset, 0}; }

}  // namespace

void Device::remove() {
    state_->check_process();
    const std::lock_guard lock(state_->mutex);
    state_->queue.remove_device();
}

std::uint64_t Device::used_bytes() {
    const std::lock_guard lock(state_->mutex);
    state_->free_now();
    return state_->pool.used_bytes();
}

void Device::upload(const Memory& memory, const void* bytes) {
    State& state = *state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    state.save_bad_indices(*memory.place_);
    const auto* from = static_cast<const std::byte*>(bytes);
    for (std::uint64_t offset = 0; offset < memory.bytes_; offset += kSegmentBytes) {
        const std::uint64_t piece_bytes = std::min(kSegmentBytes, memory.bytes_ - offset);
        const Staging::Piece piece = state.uploads.take(piece_bytes);
        copy_bytes(piece.mapped, from + offset, piece_bytes);
        state.queue.copy(part(memory.place_->span, offset), piece.span, piece_bytes);
        if (piece_bytes == kSegmentBytes)
            state.queue.submit();  // the GPU copies while the next piece is filled
    }
}

void Device::download(const Memory& memory, void* bytes) {
    State& state = *state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    if (memory.status_->slot != kNoSlot) state.settle();
    State::raise_if_failed(*memory.status_);

    struct Flight {
        Staging::Piece piece;
        std::byte* to;
        std::uint64_t value;
    };
    std::deque<Flight> flights;
    const auto land = [&] {
        const Flight& flight = flights.front();
        state.queue.wait(flight.value);
        copy_bytes(flight.to, flight.piece.mapped, flight.piece.span.bytes);
        flights.pop_front();
    };
    auto* to = static_cast<std::byte*>(bytes);
    for (std::uint64_t offset = 0; offset < memory.bytes_; offset += kSegmentBytes) {
        if (flights.size() == kSegments - 1) land();
        const std::uint64_t piece_bytes = std::min(kSegmentBytes, memory.bytes_ - offset);
        const Staging::Piece piece = state.readbacks.take(piece_bytes);
        state.queue.copy(piece.span, part(memory.place_->span, offset), piece_bytes);
        flights.push_back({piece, to + offset, state.queue.pending_value()});
        state.flush();
    }
    while (!flights.empty()) land();
}

void Device::clear(const Memory& memory) {
    State& state = *state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    state.save_bad_indices(*memory.place_);
    encode_clear(state.encoder(), memory.place_->span, 0);
}

void Device::copy(const Memory& to, const Memory& from) {
    State& state = *state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    if (from.status_->slot != kNoSlot) state.settle();
    State::raise_if_failed(*from.status_);
    state.save_bad_indices(*to.place_);
    encode_copy(state.encoder(), to.place_->span, from.place_->span, from.bytes_);
}

void Device::run(const Plan& plan, const Operands& operands, bool fresh, Describe describe) {
    State& state = *state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    const auto tensor = [](const Memory* memory) {
        return memory == nullptr ? Span{} : exactly(memory->place_->span, memory->bytes_);
    };
    const Tensors tensors{tensor(operands.table), tensor(operands.items), tensor(operands.indices),
                          tensor(operands.source)};
    check_supported(plan, tensors, state.typed_views);

    const bool gathers = plan.direction == Direction::kGather;
    const Memory& written = gathers ? *operands.items : *operands.table;
    const Memory* read[] = {gathers ? operands.table : operands.items, operands.indices,
                            operands.source,
                            gathers || plan.copies_source ? nullptr : operands.table};
    std::uint32_t slot = kNoSlot;
    const auto is_pending = [](const Memory* memory) {
        return memory != nullptr && memory->status_->slot != kNoSlot;
    };
    const bool checks = may_fail(plan);
    if (checks || std::any_of(std::begin(read), std::end(read), is_pending))
        slot = state.new_slot();
    Parents parents;
    for (std::size_t i = 0; i < parents.size(); ++i) {
        if (read[i] != nullptr) State::raise_if_failed(*read[i]->status_);
        parents[i] = is_pending(read[i]) ? read[i]->status_->slot : kNoSlot;
    }

    // Before anything is queued: if memory runs out meanwhile, slots are settled, this one
    // included.
    Status& status = *written.status_;
    const bool unusable = status.fresh && (status.slot != kNoSlot || status.failure);
    status.slot = slot;
    status.failure.reset();
    status.fresh = fresh || unusable;
    if (slot != kNoSlot) {
        Pending operation{std::move(describe),           written.status_, parents,
                          capture_constants(plan, slot), nullptr,         nullptr};
        if (checks) {
            operation.indices = operands.indices->place_;
            ++operation.indices->lookups;
        }
        state.pending.push_back(std::move(operation));
    }
    const Encoder encoder = state.encoder();
    try {
        // Nobody sees what a failed operator writes to a fresh tensor. Any other stays as it is.
        // (A scatter allocates: that may settle slots, so that it has to be checked before.)
        const bool notes = checks && fresh && gathers && moves_can_note(plan);
        if (checks && !notes) encode_checks(encoder, plan, tensors, slot);
        if (slot != kNoSlot && !fresh) state.tell_kernels();
        if (!fresh) state.save_bad_indices(*written.place_);
        encode_moves(encoder, plan, tensors, {fresh && !notes ? kNoSlot : slot, notes});
    } catch (...) {
        state.release_scratch();
        throw;
    }
    state.release_scratch();
}

void Device::mark_time() {
    State& state = *state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    if (!state.timestamps) state.timestamps.emplace(state.device.get(), state.queue);
    state.timestamps->mark();
}

std::vector<double> Device::take_times() {
    State& state = *state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    return state.timestamps ? state.timestamps->take() : std::vector<double>();
}

void Device::synchronize() {
    State& state = *state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    state.settle();
    std::shared_ptr<Failure> first;
    for (const auto& failure : state.failures) {
        if (!failure->told && !first) first = failure;
        failure->told = true;
    }
    state.failures.clear();
    if (first) throw Error(ErrorKind::kIndex, first->message);
}

}  // namespace dmlindex::d3d12
