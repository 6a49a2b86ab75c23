// What the GPU has finished of a queue. What is submitted is numbered, by rising values. The host
// has a file of its own: timeline_vkd3d.cpp or timeline_microsoft.cpp.
#pragma once

#include <cstdint>
#include <memory>

#include "d3d12/host/api.hpp"

namespace dmlindex::d3d12 {

class Timeline {
  public:
    Timeline(ID3D12Device* device, ID3D12CommandQueue* queue);
    ~Timeline();
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    // Makes what the next submission takes: it does not fail for want of memory then.
    void prepare();
    // Throws if something failed of which D3D12 has no result: what was recorded is not whole then.
    void check_recorded();
    // Submits a list, which is done when value is reached.
    void submit(ID3D12CommandList* list, std::uint64_t value);
    // What was submitted is done when value is reached.
    void signal(std::uint64_t value);
    // The value reached.
    std::uint64_t completed();
    // Sleeps until value is reached; false if that takes longer.
    bool wait_for_milliseconds(std::uint64_t value, int milliseconds);

  private:
    struct Host;

    std::unique_ptr<Host> host_;
};

}  // namespace dmlindex::d3d12
