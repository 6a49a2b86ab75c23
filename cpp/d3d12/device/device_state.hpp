// What device.cpp keeps: the D3D12 objects of a device, which go away when it is lost, and what
// stays as long as somebody holds the device.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "d3d12/backend.hpp"
#include "d3d12/device/ledger.hpp"
#include "d3d12/host/process.hpp"
#include "d3d12/queue/staging.hpp"
#include "d3d12/queue/timestamps.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::d3d12 {

// Places that their tensors have let go of. Whoever lets go may hold Python's lock, and must not
// wait for the queue's user.
class Freed {
  public:
    // A list of one place, which is empty then: no memory is asked for.
    void add(std::list<std::shared_ptr<MemoryPlace>>& place) noexcept {
        const std::lock_guard lock(mutex_);
        places_.splice(places_.end(), place);
    }
    // Gives them back to their pool; its user calls this.
    void give_back() {
        const std::lock_guard lock(mutex_);
        places_.clear();
    }

  private:
    std::mutex mutex_;
    std::list<std::shared_ptr<MemoryPlace>> places_;
};

// All that D3D12 has made for a device.
struct Device::Objects {
    Objects(int adapter_index, Freed& freed_places)
        : adapter(Library::get().adapters()[static_cast<std::size_t>(adapter_index)]),
          freed(freed_places),
          device(Library::get().create_device(adapter_index)),
          pipelines(Library::get(), device.get(), allocations),
          queue(device.get(), pipelines),
          commands(queue),
          shared_pool(std::make_shared<Pool>(device.get(), allocations)),
          pool(*shared_pool),
          uploads(device.get(), queue, D3D12_HEAP_TYPE_UPLOAD),
          readbacks(device.get(), queue, D3D12_HEAP_TYPE_READBACK),
          ledger(device.get(), queue) {
        queue.set_slots(ledger.slots());
        encode_clear(encoder(), ledger.slots(), 0);
    }

    Objects(const Objects&) = delete;
    Objects& operator=(const Objects&) = delete;
    ~Objects() { queue.drain(); }

    // For what is recorded at once.
    Encoder encoder() { return encoder(queue); }

    Encoder encoder(Recorder& recorder) {
        const auto take = [this](std::uint64_t bytes) { return allocate_scratch(bytes); };
        const auto upload = [this](const void* bytes, std::uint64_t count) {
            const Span span = allocate_scratch(count);
            const Staging::Piece piece = uploads.take(count);
            std::memcpy(piece.mapped, bytes, count);
            queue.copy(span, piece.span, count);
            return span;
        };
        const auto texture_for_table = [this] {
            if (!texture) {
                texture = with_room([this] {
                    allocations.next();
                    return make_texture(device.get(), Format::kR32, kTextureWidth,
                                        kTextureElements / kTextureWidth);
                });
            }
            return Span{texture.get(), 0, texture->bytes};
        };
        const auto winners_of = [this](std::uint64_t targets, std::uint64_t positions) {
            return winners_for(targets, positions);
        };
        return {recorder, typed_views, texels, profile,           adapter.is_software,
                adds,     take,        upload, texture_for_table, winners_of};
    }

    // Cleared when they are made, and when all numbers are used up: each scatter takes numbers
    // above those of the ones before it.
    Winners winners_for(std::uint64_t targets, std::uint64_t positions) {
        constexpr std::uint64_t kMostBytes = 256ull << 20;
        constexpr std::uint64_t kLeastBytes = 1ull << 20;
        const std::uint64_t bytes = std::max(kLeastBytes, std::bit_ceil(4 * targets));
        if (bytes > kMostBytes) return {};
        const bool is_new = !winners || winners->bytes < bytes;
        if (is_new) {
            winners = with_room([&] {
                allocations.next();
                queue.wait(queue.pending_value());  // nobody uses the old ones any more
                queue.forget_views();
                return make_chunk(device.get(), D3D12_HEAP_TYPE_DEFAULT, bytes);
            });
        }
        const Span all{winners.get(), 0, winners->bytes};
        if (is_new || winners_base + positions > ~std::uint32_t{0}) {
            encode_clear(encoder(), all, 0);
            winners_base = 0;
        }
        const auto base = static_cast<std::uint32_t>(winners_base);
        winners_base += positions;
        return {{winners.get(), 0, 4 * targets}, base};
    }

    Span allocate_scratch(std::uint64_t bytes) {
        const std::size_t at = scratch.size();
        scratch.emplace_back();  // first: what is allocated must be kept
        return scratch[at] = allocate(bytes);
    }

    void release_scratch() noexcept {
        for (const Span& span : scratch) pool.release(span);
        scratch.clear();
    }

    // What make returns; where there is no room for it, waits for the GPU, frees what nobody uses,
    // and tries again.
    template <typename Make>
    auto with_room(Make make) -> decltype(make()) {
        freed.give_back();
        try {
            return make();
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::kMemory) throw;
        }
        ledger.settle(encoder());
        freed.give_back();
        queue.forget_views();
        // What a section has let go of is used once its commands are recorded.
        pool.trim([this](const Chunk& chunk) { return commands.use(chunk); });
        return make();
    }

    // Device memory.
    Span allocate(std::uint64_t bytes) {
        try {
            return with_room([&] { return pool.allocate(bytes); });
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

    const Adapter& adapter;
    Freed& freed;
    Allocations allocations;
    ComPtr<ID3D12Device> device;
    Pipelines pipelines;
    Queue queue;
    Commands commands;
    std::shared_ptr<Pool> shared_pool;  // tensors outlive it
    Pool& pool;
    Staging uploads;
    Staging readbacks;
    std::optional<Timestamps> timestamps;  // once they are asked for
    bool typed_views = false;
    AtomicAdds adds{};
    std::int64_t texels = std::min(Reach::kTexels, adapter.view_texels);  // of a view
    Profile profile;
    std::vector<Span> scratch;
    std::unique_ptr<Chunk> texture;  // once it is asked for
    std::unique_ptr<Chunk> winners;  // the same
    std::uint64_t winners_base = 0;  // the largest number in them
    Ledger ledger;
};

struct Device::State {
    explicit State(int adapter_index)
        : adapter(Library::get().adapters()[static_cast<std::size_t>(adapter_index)]),
          index(adapter_index),
          process(process_number()),
          objects(std::make_unique<Objects>(adapter_index, freed)) {}

    void check_process() const {
        if (process == process_number()) return;
        throw Error(ErrorKind::kDevice, std::string("d3d12: ") + kForked);
    }

    // What look says of the objects, without waiting for their user; false, or nothing, where there
    // are none.
    template <typename Look>
    std::invoke_result_t<Look, const Objects&> ask(Look look) {
        if (process != process_number()) return {};
        const std::lock_guard lock(life_mutex);
        if (!objects) return {};
        return look(*objects);
    }

    // A D3D12 device is a singleton of its adapter: while anything holds a lost one, no new one can
    // be had. Tensors may live on, and have nothing any more.
    void let_go() {
        const std::lock_guard lock(mutex);
        const std::lock_guard life_lock(life_mutex);
        is_gone = true;
        objects.reset();
        freed.give_back();
    }

    const Adapter& adapter;
    int index;
    int process;
    Freed freed;
    std::timed_mutex mutex;  // held while the objects are used
    // Held, too, while they go away, and while somebody only asks for something.
    std::mutex life_mutex;
    std::unique_ptr<Objects> objects;  // none once is_gone
    std::atomic<bool> is_gone = false;
};

// The objects of a device, for one thread at a time.
class Device::Use {
  public:
    // interrupt: asked now and then while somebody has to wait, for the device or for its user.
    explicit Use(State& state, const Interrupt& interrupt = {}) {
        state.check_process();
        lock_ = std::unique_lock(state.mutex, std::defer_lock);
        if (interrupt) {
            while (!lock_.try_lock_for(kInterruptTime)) throw_if_interrupted(interrupt);
        } else {
            lock_.lock();
        }
        objects_ = state.objects.get();
        if (objects_ == nullptr) throw_removed(kDeviceRemoved);
        objects_->queue.set_interrupt(interrupt ? &interrupt : nullptr);
    }
    ~Use() { objects_->queue.set_interrupt(nullptr); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    Objects& operator*() const noexcept { return *objects_; }
    Objects* operator->() const noexcept { return objects_; }

  private:
    std::unique_lock<std::timed_mutex> lock_;
    Objects* objects_;
};

}  // namespace dmlindex::d3d12
