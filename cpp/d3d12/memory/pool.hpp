// Device memory. Tensors are parts of large buffers: on NVIDIA's driver small buffers sit on small
// pages, where random access is twice as slow, and making one takes longer than most operators.
//
// A part may be given to a new owner as soon as the last one lets go of it, though the GPU may
// still be at work on it: everything that touches it goes through one queue, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "d3d12/host/api.hpp"
#include "d3d12/memory/allocations.hpp"

namespace dmlindex::d3d12 {

inline constexpr std::uint64_t kAlignment = 256;           // of every part
inline constexpr std::uint64_t kChunkBytes = 64ull << 20;  // at least

// offset → bytes, none touching another
using Holes = std::map<std::uint64_t, std::uint64_t>;

// One buffer, or a texture.
struct Chunk {
    ComPtr<ID3D12Resource> resource;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    Holes free;
    // What state the buffer is in, for commands recorded now.
    D3D12_RESOURCE_STATES state = D3D12_RESOURCE_STATE_COMMON;
    // The bytes that copies have written since it got into its state.
    std::uint64_t copied_begin = 0;
    std::uint64_t copied_end = 0;
    bool keeps_state = false;       // upload and readback heaps: theirs never changes
    bool is_texture = false;        // in no pool; its state lasts
    std::uint64_t state_batch = 0;  // a buffer's state is meant for it; in any other it is COMMON
};

// Bytes of a chunk.
struct Span {
    Chunk* chunk = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;

    std::uint64_t address() const noexcept { return chunk->address + offset; }
    explicit operator bool() const noexcept { return chunk != nullptr; }
};

// Makes a buffer of its own in the given heap. Throws Error(kMemory) or Error(kDevice).
std::unique_ptr<Chunk> make_chunk(ID3D12Device* device, D3D12_HEAP_TYPE heap, std::uint64_t bytes);

class Pool {
  public:
    Pool(ID3D12Device* device, Allocations& allocations)
        : device_(device), allocations_(allocations) {}

    // bytes rounded up to kAlignment, at least that. Throws Error(kMemory) when there is no room.
    Span allocate(std::uint64_t bytes);
    // Takes no memory; an empty span is nothing.
    void release(const Span& span) noexcept;
    // Gives chunks that nobody uses back to the system, but those to be kept; the GPU must be idle.
    void trim(const std::function<bool(const Chunk&)>& keeps);
    std::uint64_t used_bytes() const noexcept { return used_bytes_; }

  private:
    void keep_node();

    ID3D12Device* device_;
    Allocations& allocations_;
    // What the release of every part takes, should it be a hole of its own.
    std::vector<Holes::node_type> nodes_;
    std::size_t node_count_ = 0;  // with those of holes: for all there is room in nodes_
    std::size_t part_count_ = 0;
    std::vector<std::unique_ptr<Chunk>> chunks_;
    std::uint64_t used_bytes_ = 0;
};

}  // namespace dmlindex::d3d12
