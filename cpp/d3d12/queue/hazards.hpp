// What dispatches read and write, so that a barrier comes only where data flows from one to the
// next: it costs a tiny kernel more than all its work.
#pragma once

#include <vector>

#include "d3d12/memory/views.hpp"
#include "d3d12/shaders/constants.hpp"
#include "d3d12/shaders/kernels.hpp"

namespace dmlindex::d3d12 {

class Hazards {
  public:
    // Takes all its memory: recording must not run out of it.
    Hazards() { uses_.reserve(kMostUses + kReadRegisters + kWrittenRegisters + 1); }

    // Whether the dispatch may run beside all those since the last barrier.
    bool allows(Kernel kernel, const Constants& constants, const Views& views,
                const Span& slots) const;
    void add(Kernel kernel, const Constants& constants, const Views& views, const Span& slots);
    // Whether anything was dispatched since the last barrier.
    bool is_needed() const noexcept { return is_unknown_ || !uses_.empty(); }
    void clear() noexcept {
        uses_.clear();
        is_unknown_ = false;
    }

  private:
    // More than this many spans are not worth looking through.
    static constexpr std::size_t kMostUses = 64;

    struct Use {
        const Chunk* chunk;
        std::uint64_t begin;
        std::uint64_t end;
        bool writes;
    };

    template <typename Visit>
    static void for_each(const Constants& constants, const Views& views, const Span& slots,
                         Visit visit);

    std::vector<Use> uses_;
    bool is_unknown_ = false;  // of some dispatch it is not known what it uses
};

}  // namespace dmlindex::d3d12
