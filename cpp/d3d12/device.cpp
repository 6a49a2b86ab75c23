#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>

#include "d3d12/backend.hpp"
#include "d3d12/ledger.hpp"
#include "d3d12/limits.hpp"
#include "d3d12/process.hpp"
#include "d3d12/staging.hpp"
#include "d3d12/timestamps.hpp"
#include "error.hpp"

namespace dmlindex::d3d12 {

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
          ledger(device.get(), queue) {
        queue.set_slots(ledger.slots());
        encode_clear(encoder(), ledger.slots(), 0);
    }

    Encoder encoder() {
        const auto take = [this](std::uint64_t bytes) {
            scratch.push_back(allocate(bytes));
            return scratch.back();
        };
        const auto upload = [this](const void* bytes, std::uint64_t count) {
            const Span span = scratch.emplace_back(allocate(count));
            const Staging::Piece piece = uploads.take(count);
            std::memcpy(piece.mapped, bytes, count);
            queue.copy(span, piece.span, count);
            return span;
        };
        const auto texture_for_table = [this] {
            if (!texture) {
                texture = make_texture(device.get(), Format::kR32, kTextureWidth,
                                       kTextureElements / kTextureWidth);
            }
            return Span{texture.get(), 0, texture->bytes};
        };
        return {queue, typed_views, take, upload, texture_for_table};
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
        ledger.settle(encoder());
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

    // Waits until the host knows whether the tensor's bytes can be used; throws if they cannot.
    void need(Status& status) {
        if (status.slot != kNoSlot) ledger.settle(encoder());
        raise_if_failed(status);
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
    std::unique_ptr<Chunk> texture;  // once it is asked for
    std::mutex freed_mutex;
    std::vector<std::shared_ptr<MemoryPlace>> freed;  // by their tensors, and not yet given back
    Ledger ledger;
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
    state.ledger.save_bad_indices(state.encoder(), *memory.place_);
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
    state.need(*memory.status_);

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
        state.ledger.flush();
    }
    while (!flights.empty()) land();
}

void Device::clear(const Memory& memory) {
    State& state = *state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    state.ledger.save_bad_indices(state.encoder(), *memory.place_);
    encode_clear(state.encoder(), memory.place_->span, 0);
}

void Device::copy(const Memory& to, const Memory& from) {
    State& state = *state_;
    state.check_process();
    std::lock_guard lock(state.mutex);
    state.need(*from.status_);
    state.ledger.save_bad_indices(state.encoder(), *to.place_);
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
    const auto is_pending = [](const Memory* memory) {
        return memory != nullptr && memory->status_->slot != kNoSlot;
    };
    const Encoder encoder = state.encoder();
    std::uint32_t slot = kNoSlot;
    const bool checks = may_fail(plan);
    if (checks || std::any_of(std::begin(read), std::end(read), is_pending))
        slot = state.ledger.new_slot(encoder);
    Parents parents;
    for (std::size_t i = 0; i < parents.size(); ++i) {
        if (read[i] != nullptr) raise_if_failed(*read[i]->status_);
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
        state.ledger.enter(plan, slot, parents, written.status_,
                           checks ? operands.indices->place_ : nullptr, std::move(describe));
    }
    try {
        // Nobody sees what a failed operator writes to a fresh tensor. Any other stays as it is.
        // (A scatter allocates: that may settle slots, so that it has to be checked before.)
        const bool notes = checks && fresh && gathers && moves_can_note(plan);
        if (checks && !notes) encode_checks(encoder, plan, tensors, slot);
        if (slot != kNoSlot && !fresh) state.ledger.tell_kernels(encoder);
        if (!fresh) state.ledger.save_bad_indices(encoder, *written.place_);
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
    state.ledger.settle(state.encoder());
    if (const auto first = state.ledger.take_untold()) {
        throw Error(ErrorKind::kIndex, first->message);
    }
}

}  // namespace dmlindex::d3d12
