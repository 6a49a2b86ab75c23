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

// One item for all of them, written to places counted from the result's first: a scatter.
class Filler {
  public:
    explicit Filler(const Job& job) noexcept
        : block_{nullptr,         places_,           0,     filled_,  0,
                 job.slice_bytes, job.element_bytes, false, job.fill, nullptr},
          scatter_(kernels().scatter[slice_class(job.slice_bytes)]) {
        if (is_short()) fill_slice(filled_, block_);
    }

    void clear() noexcept { block_.count = 0; }
    void add(std::int64_t place) noexcept { places_[block_.count++] = place; }

    void fill(std::byte* items) noexcept {
        block_.table = items;
        if (is_short()) {
            scatter_(block_);
            return;
        }
        for (std::int64_t k = 0; k < block_.count; ++k) fill_slice(items + places_[k], block_);
    }

  private:
    bool is_short() const noexcept { return block_.slice_bytes <= kShortSliceBytes; }

    std::int64_t places_[kBlockPositions];
    std::byte filled_[kShortSliceBytes];
    Block block_;
    MoveKernel scatter_;
};

void fill_part(const Job& job) noexcept {
    const Partition parts = partition(job);
    const Dim* const positions = job.dims + parts.before;
    Dim free_dims[kMaxDims];
    const Dim* const behind = positions + parts.positions_rank;
    const Dim* const end =
        std::copy(behind, behind + parts.behind, std::copy(job.dims, positions, free_dims));
    const int free_rank = static_cast<int>(end - free_dims);

    alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
    Filler filler(job);
    for (PositionWalker walker(positions, parts.positions_rank, 0); !walker.at_end();) {
        const std::int64_t count = std::min(walker.left_in_run(), kBlockPositions);
        job.resolve(
            walker.index_run(job.buffers.indices, count, job.coordinates, job.coordinate_count),
            offsets);
        filler.clear();
        for (std::int64_t i = 0; i < count; ++i) {
            if (offsets[i] == kSkipped)
                filler.add(walker.item_offset() + i * walker.run().item_stride);
        }
        walker.advance(count);
        for (PositionWalker row(free_dims, free_rank, 0); !row.at_end(); row.advance(1))
            filler.fill(job.buffers.items + row.item_offset());
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
