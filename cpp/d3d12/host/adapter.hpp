// What a machine offers to run on. No D3D12 header is needed to read this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dmlindex::d3d12 {

// What the hardware adds by atomics that D3D12 has not (atomic_adds.hpp).
struct AtomicAdds {
    bool floats = false;  // float32
    bool halves = false;  // float16, two at once
};

struct Adapter {
    std::string description;  // the hardware's own name
    std::string driver;       // name and version
    std::uint64_t memory_bytes;
    bool is_software;
    // What D3D12 promises; a Vulkan device may have less.
    std::int64_t group_bytes = 32 << 10;               // of a group's memory
    std::int64_t view_texels = std::int64_t{1} << 27;  // that a view of a buffer reaches
    AtomicAdds adds{};
};

// The adapters of this machine; if there are none, reason says what is missing and what to install.
const std::vector<Adapter>& list_adapters(std::string& reason);

// The adapter that "d3d12" without a number means: the first that is hardware, else the first.
int preferred_adapter(const std::vector<Adapter>& adapters) noexcept;

}  // namespace dmlindex::d3d12
