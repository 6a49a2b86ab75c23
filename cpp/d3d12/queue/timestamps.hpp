// When the GPU was at which point of the queue: for benchmarks.
#pragma once

#include <vector>

#include "d3d12/queue/queue.hpp"

namespace dmlindex::d3d12 {

class Timestamps {
  public:
    Timestamps(ID3D12Device* device, Queue& queue);

    // Marks this point of the queue. Throws Error(kValue) after too many without take().
    void mark();
    // Waits for the queue; the points marked since the last call, in nanoseconds.
    std::vector<double> take();

  private:
    Queue& queue_;
    ComPtr<ID3D12QueryHeap> queries_;
    std::unique_ptr<Chunk> results_;  // in readback memory
    const std::uint64_t* mapped_ = nullptr;
    UINT count_ = 0;
};

}  // namespace dmlindex::d3d12
