#include "cpu/run/fill_outside.hpp"

#include <algorithm>

#include "cpu/kernels/moves.hpp"
#include "cpu/run/free_dims.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/split.hpp"
#include "cpu/run/walker.hpp"
#include "parallel/parallel.hpp"

namespace dmlindex::cpu {
namespace {

// Writes one item to all places that were added, counted from the result's first: a scatter. Where
// free dims repeat them, to all of those, too.
class Filler {
  public:
    Filler(const Job& job, const Dim* free_dims, int free_rank) noexcept
        : job_(job),
          free_dims_(free_dims),
          free_rank_(free_rank),
          scatter_(kernels().scatter[slice_class(job.slice_bytes)]) {
        if (is_short()) fill_slice(filled_, block(nullptr));
    }
    Filler(const Filler&) = delete;
    ~Filler() { flush(); }

    void add(std::int64_t place) noexcept {
        if (count_ == kBlockPositions) flush();
        places_[count_++] = place;
    }

  private:
    bool is_short() const noexcept { return job_.slice_bytes <= kShortSliceBytes; }

    Block block(std::byte* items) noexcept {
        return {items, places_,   count_, filled_, 0, job_.slice_bytes, job_.element_bytes,
                false, job_.fill, nullptr};
    }

    void flush() noexcept {
        if (count_ == 0) return;
        for (PositionWalker row(free_dims_, free_rank_, 0); !row.at_end(); row.advance(1)) {
            std::byte* const items = job_.buffers.items + row.item_offset();
            const Block all = block(items);
            if (is_short()) {
                scatter_(all);
                continue;
            }
            for (std::int64_t k = 0; k < count_; ++k) fill_slice(items + places_[k], all);
        }
        count_ = 0;
    }

    const Job& job_;
    const Dim* free_dims_;
    int free_rank_;
    MoveKernel scatter_;
    std::int64_t count_ = 0;
    std::int64_t places_[kBlockPositions];
    std::byte filled_[kShortSliceBytes];
};

void fill_part(const Job& job) noexcept {
    const Partition parts = partition(job);
    const Dim* const positions = job.dims + parts.before;
    const Dim* const behind = positions + parts.positions_rank;
    Dim free_dims[kMaxDims];
    const Dim* const end =
        std::copy(behind, behind + parts.behind, std::copy(job.dims, positions, free_dims));

    alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
    Filler filler(job, free_dims, static_cast<int>(end - free_dims));
    for (PositionWalker walker(positions, parts.positions_rank, 0); !walker.at_end();) {
        const std::int64_t count = std::min(walker.left_in_run(), kBlockPositions);
        job.resolve(
            walker.index_run(job.buffers.indices, count, job.coordinates, job.coordinate_count),
            offsets);
        for (std::int64_t i = 0; i < count; ++i) {
            if (offsets[i] == kSkipped)
                filler.add(walker.item_offset() + i * walker.run().item_stride);
        }
        walker.advance(count);
    }
}

}  // namespace

void fill_outside(const Plan& plan, const Buffers& buffers, int threads) {
    const Job job = make_job(plan, buffers, threads);
    const Split split = threads > 1 ? choose_split(job, threads) : Split{};
    const std::int64_t parts = std::clamp<std::int64_t>(split.parts, 1, threads);
    parallel_for(
        parts, [&](std::int64_t p) { fill_part(parts > 1 ? part_of(job, split, p, parts) : job); });
}

}  // namespace dmlindex::cpu
