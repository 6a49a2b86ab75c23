// Whatever on a device can fail for want of memory asks here first, so that a test can have any of
// it fail.
#pragma once

#include <cstdint>
#include <utility>

#include "dmlindex/error.hpp"

namespace dmlindex::d3d12 {

class Allocations {
  public:
    // `passing` allocations go on as ever, and the `failing` ones after them fail. Returns how many
    // of those asked for before have not failed.
    std::uint64_t fail(std::uint64_t passing, std::uint64_t failing) noexcept {
        passing_ = passing;
        return std::exchange(failing_, failing);
    }

    // Before every allocation. Throws Error(kMemory) for one that is to fail.
    void next() {
        if (failing_ == 0) return;
        if (passing_ > 0) {
            --passing_;
            return;
        }
        --failing_;
        throw Error(ErrorKind::kMemory, "d3d12: an allocation failed, as a test wants it to");
    }

  private:
    std::uint64_t passing_ = 0;
    std::uint64_t failing_ = 0;
};

}  // namespace dmlindex::d3d12
