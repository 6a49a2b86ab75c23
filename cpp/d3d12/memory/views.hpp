// What kernels work on, and the descriptors of it. A descriptor costs as much as a small operator,
// so that they are kept: the same part of a tensor seen the same way has the same one until its
// place is needed. All memory is taken at first: recording must not run out of it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "d3d12/host/api.hpp"
#include "d3d12/memory/pool.hpp"
#include "d3d12/shaders/constants.hpp"

namespace dmlindex::d3d12 {

// How a view splits bytes into texels. kRaw is a byte address buffer.
enum class Format : std::uint8_t { kRaw, kR8, kR16, kR32, kFloat32, kHalves, kRg32, kRgba32 };

std::uint64_t texel_bytes(Format format) noexcept;

// A texture to keep a table in.
std::unique_ptr<Chunk> make_texture(ID3D12Device* device, Format format, std::int64_t width,
                                    std::int64_t height);

struct View {
    Span span;
    Format format = Format::kRaw;
};

inline constexpr std::size_t kReadRegisters = 3;     // t0 to t2
inline constexpr std::size_t kWrittenRegisters = 6;  // u0 to u5
inline constexpr std::size_t kWinnersRegister = WINNERS_REGISTER;
inline constexpr std::size_t kSlotsRegister = SLOTS_REGISTER;  // the queue binds the slots there

// By register. Kernels that don't use one leave it empty.
struct Views {
    std::array<View, kReadRegisters> read;
    std::array<View, kWrittenRegisters> written;
};

// A ring of descriptors that shaders see.
class ViewRing {
  public:
    explicit ViewRing(ID3D12Device* device);

    ID3D12DescriptorHeap* heap() const noexcept { return heap_.get(); }

    // The view's descriptor. value: of the timeline, when the command is done that it is for.
    // completed: what the timeline has reached. False if the next place in the ring is still in
    // use: then busy_until() says which value to wait for.
    bool find(const View& view, bool writable, std::uint64_t value, std::uint64_t completed,
              D3D12_GPU_DESCRIPTOR_HANDLE& handle);
    std::uint64_t busy_until() const noexcept { return places_[next_].value; }
    // Forgets all: buffers are going away.
    void clear();

  private:
    struct Key {
        const Chunk* chunk = nullptr;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
        Format format = Format::kRaw;
        bool writable = false;

        bool operator==(const Key&) const = default;
    };
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    struct Place {
        Key key;
        std::uint64_t value = 0;     // of the timeline, when the last command is done that uses it
        std::uint32_t next = kNone;  // place whose key has the same hash
    };

    std::uint32_t& first(const Key& key) noexcept;
    std::uint32_t place_of(const Key& key) noexcept;
    void forget(std::uint32_t place) noexcept;
    void make(const Key& key, D3D12_CPU_DESCRIPTOR_HANDLE place) const;

    ID3D12Device* device_;
    ComPtr<ID3D12DescriptorHeap> heap_;
    D3D12_CPU_DESCRIPTOR_HANDLE cpu_start_{};
    D3D12_GPU_DESCRIPTOR_HANDLE gpu_start_{};
    UINT view_bytes_;
    std::vector<Place> places_;
    std::vector<std::uint32_t> firsts_;  // places, by hash
    std::uint32_t next_ = 0;
};

}  // namespace dmlindex::d3d12
