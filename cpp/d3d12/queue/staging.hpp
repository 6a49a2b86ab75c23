// Memory that both sides reach, through which data goes to and from the device: a ring of segments
// that are mapped all the time.
#pragma once

#include <array>

#include "d3d12/queue/queue.hpp"

namespace dmlindex::d3d12 {

inline constexpr std::uint64_t kSegmentBytes = 16ull << 20;
inline constexpr std::size_t kSegments = 4;

class Staging {
  public:
    Staging(ID3D12Device* device, Queue& queue, D3D12_HEAP_TYPE heap);

    struct Piece {
        Span span;
        std::byte* mapped;
    };
    // At most kSegmentBytes. Waits until the commands are done that were recorded when its segment
    // was last used; the next command recorded is taken to use it.
    Piece take(std::uint64_t bytes);

  private:
    Queue& queue_;
    std::unique_ptr<Chunk> chunk_;
    std::byte* mapped_ = nullptr;
    std::array<std::uint64_t, kSegments> values_{};
    std::size_t segment_ = 0;
    std::uint64_t used_ = 0;
};

// memcpy on as many threads as pay.
void copy_bytes(std::byte* to, const std::byte* from, std::uint64_t bytes);

}  // namespace dmlindex::d3d12
