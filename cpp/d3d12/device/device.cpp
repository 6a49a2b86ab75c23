#include <algorithm>
#include <deque>
#include <mutex>
#include <new>

#include "d3d12/backend.hpp"
#include "d3d12/device/device_state.hpp"
#include "plan/facts.hpp"

namespace dmlindex::d3d12 {

Memory::Memory(std::shared_ptr<Device> device, std::uint64_t bytes)
    : device_(std::move(device)),
      bytes_(bytes),
      allocated_bytes_(bytes),
      status_(std::make_shared<Status>()) {
    const Device::Use use(*device_->state_);
    place_ = std::make_shared<MemoryPlace>(use->shared_pool);
    place_->span = use->allocate(bytes);
}

Memory::Memory(const Memory& whole, std::uint64_t offset, std::uint64_t bytes)
    : device_(whole.device_),
      offset_(whole.offset_ + offset),
      bytes_(bytes),
      allocated_bytes_(whole.allocated_bytes_),
      place_(whole.place_),
      status_(whole.status_) {}

Span Memory::span() const noexcept {
    return {place_->span.chunk, place_->span.offset + offset_, bytes_};
}
bool Memory::is_same(const Memory& other) const noexcept {
    return place_ == other.place_ && offset_ == other.offset_ && bytes_ == other.bytes_;
}
bool Memory::overlaps(const Memory& other) const noexcept {
    return place_ == other.place_ && offset_ < other.offset_ + other.bytes_ &&
           other.offset_ < offset_ + bytes_;
}
bool Memory::can_be_written() const noexcept {
    const std::uint64_t end = offset_ + bytes_;
    return end == allocated_bytes_ || end % kPartAlignment == 0;
}

Memory::~Memory() {
    Device::State& state = *device_->state_;
    freed_.front() = std::move(place_);
    if (state.process == process_number()) {
        state.freed.add(freed_);
    } else {
        new (std::nothrow) auto(std::move(freed_));  // the parent's: it stays
    }
}

namespace {

struct Opened {
    std::mutex mutex;
    std::vector<std::weak_ptr<Device>> devices;
};

Opened& opened() {
    static Opened& all = *new Opened;
    return all;
}

}  // namespace

std::shared_ptr<Device> Device::open(int adapter) {
    if (!may_use_d3d12()) throw Error(ErrorKind::kDevice, std::string("d3d12: ") + kForked);
    Library& library = Library::get();
    if (!library.reason().empty()) throw Error(ErrorKind::kDevice, "d3d12: " + library.reason());
    const auto count = static_cast<int>(library.adapters().size());
    if (adapter < 0 || adapter >= count) {
        throw Error(ErrorKind::kDevice, "d3d12: there is no adapter " + std::to_string(adapter) +
                                            "; the adapters are 0 to " + std::to_string(count - 1));
    }
    const std::lock_guard lock(opened().mutex);
    auto& devices = opened().devices;
    std::erase_if(devices, [](const std::weak_ptr<Device>& device) { return device.expired(); });
    for (const std::weak_ptr<Device>& one : devices) {
        const std::shared_ptr<Device> device = one.lock();
        if (device && device->adapter_index() == adapter && device->is_lost()) {
            device->state_->let_go();
        }
    }
    std::shared_ptr<Device> device(new Device(adapter));
    device->set_profile(kDefaultProfile);
    device->set_typed_views(device->decide_typed_views());
    device->set_adds(device->decide_adds());
    devices.push_back(device);
    return device;
}

void Device::drain_all() noexcept {
    if (using_process != process_number()) return;
    const std::unique_lock lock(opened().mutex, std::try_to_lock);
    if (!lock) return;
    for (const std::weak_ptr<Device>& one : opened().devices) {
        const std::shared_ptr<Device> device = one.lock();
        if (!device) continue;
        const std::unique_lock used(device->state_->mutex, kInterruptTime);
        if (used && device->state_->objects) device->state_->objects->queue.drain();
    }
}

Device::Device(int adapter) : state_(std::make_unique<State>(adapter)) {}

Device::~Device() {
    if (state_->process != process_number()) {
        (void)state_.release();  // the parent's: nothing of it may be touched here
        return;
    }
    if (!state_->objects) return;
    try {
        Queue& queue = state_->objects->queue;
        queue.wait(queue.pending_value());
    } catch (...) {
        // The device is gone, and so is its work.
    }
}

const Adapter& Device::adapter() const noexcept { return state_->adapter; }
int Device::adapter_index() const noexcept { return state_->index; }
bool Device::is_lost() const noexcept {
    return state_->is_gone || state_->ask([](const Objects& objects) {
        return objects.queue.removed_reason() != S_OK;
    });
}
bool Device::uses_typed_views() const noexcept {
    return state_->ask([](const Objects& objects) { return objects.typed_views; });
}
void Device::set_typed_views(bool used) {
    const Use use(*state_);
    use->typed_views = used;
    use->queue.set_binding(used ? Binding::kTables : Binding::kRoot);
}
AtomicAdds Device::adds() const noexcept {
    return state_->ask([](const Objects& objects) { return objects.adds; });
}
void Device::set_adds(const AtomicAdds& used) { Use(*state_)->adds = used; }

namespace {

static_assert(kWholeDownloadBytes <= kSegmentBytes);

Span part(const Span& span, std::uint64_t offset) { return {span.chunk, span.offset + offset, 0}; }

}  // namespace

void Device::remove() { Use(*state_)->queue.remove_device(); }

std::uint64_t Device::fail_allocations(std::uint64_t passing, std::uint64_t failing) {
    return Use(*state_)->allocations.fail(passing, failing);
}

void Device::set_profile(const Profile& profile) {
    if (!is_in_range(profile)) throw Error(ErrorKind::kValue, "d3d12: a threshold is out of range");
    const Use use(*state_);
    use->profile = profile;
    use->profile.held_bytes = std::min(profile.held_bytes, use->adapter.group_bytes);
}

Profile Device::profile() { return Use(*state_)->profile; }

void Device::limit_views(std::int64_t texels) { Use(*state_)->texels = texels; }
void Device::limit_rows(std::uint64_t groups) { Use(*state_)->queue.limit_rows(groups); }

std::unique_lock<std::timed_mutex> Device::hold() {
    state_->check_process();
    return std::unique_lock(state_->mutex);
}

std::uint64_t Device::used_bytes() {
    const Use use(*state_);
    state_->freed.give_back();
    return use->pool.used_bytes();
}

void Device::upload(const Memory& memory, const void* bytes) {
    const Use use(*state_);
    Objects& state = *use;
    state.ledger.save_bad_indices(state.encoder(), *memory.place_);
    const auto* from = static_cast<const std::byte*>(bytes);
    for (std::uint64_t offset = 0; offset < memory.bytes_; offset += kSegmentBytes) {
        const std::uint64_t piece_bytes = std::min(kSegmentBytes, memory.bytes_ - offset);
        const Staging::Piece piece = state.uploads.take(piece_bytes);
        copy_bytes(piece.mapped, from + offset, piece_bytes);
        state.queue.copy(part(memory.span(), offset), piece.span, piece_bytes);
        if (piece_bytes == kSegmentBytes)
            state.queue.submit();  // the GPU copies while the next piece is filled
    }
}

void Device::download(const Memory& memory, void* bytes, const Interrupt& interrupt) {
    const Use use(*state_, interrupt);
    Objects& state = *use;
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
        state.queue.copy(piece.span, part(memory.span(), offset), piece_bytes);
        flights.push_back({piece, to + offset, state.queue.pending_value()});
        state.ledger.flush();
    }
    while (!flights.empty()) land();
}

void Device::clear(const Memory& memory) {
    const Use use(*state_);
    Objects& state = *use;
    state.ledger.save_bad_indices(state.encoder(), *memory.place_);
    encode_clear(state.encoder(), memory.place_->span, 0);
}

void Device::copy(const Memory& to, const Memory& from) {
    const Use use(*state_);
    Objects& state = *use;
    state.need(*from.status_);
    state.ledger.save_bad_indices(state.encoder(), *to.place_);
    encode_copy(state.encoder(), to.span(), from.span(), from.bytes_);
}

std::vector<std::string> Device::take_kernels() {
    const Use use(*state_);
    const auto used = use->pipelines.take_used();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i]) names.emplace_back(code_of(static_cast<Kernel>(i)).name);
    }
    return names;
}

void Device::mark_time() {
    const Use use(*state_);
    Objects& state = *use;
    if (!state.timestamps) state.timestamps.emplace(state.device.get(), state.queue);
    state.timestamps->mark();
}

std::vector<double> Device::take_times() {
    const Use use(*state_);
    Objects& state = *use;
    return state.timestamps ? state.timestamps->take() : std::vector<double>();
}

void Device::synchronize(const Interrupt& interrupt) {
    const Use use(*state_, interrupt);
    Objects& state = *use;
    state.ledger.settle(state.encoder());
    if (const auto first = state.ledger.take_untold()) {
        throw Error(ErrorKind::kIndex, first->message);
    }
}

}  // namespace dmlindex::d3d12
