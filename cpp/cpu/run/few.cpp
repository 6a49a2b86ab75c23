#include "cpu/run/few.hpp"

#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {

bool resolve_all(const Job& job, std::int64_t* offsets) noexcept {
    for (PositionWalker walker(job.dims, job.rank, 0); !walker.at_end();) {
        const std::int64_t count = walker.left_in_run();
        const IndexRun run =
            walker.index_run(job.buffers.indices, count, job.coordinates, job.coordinate_count);
        if (!job.resolve(run, offsets)) return false;
        offsets += count;
        walker.advance(count);
    }
    return true;
}

void move_all(const Job& job, const std::int64_t* offsets) noexcept {
    for (PositionWalker walker(job.dims, job.rank, 0); !walker.at_end();) {
        const std::int64_t count = walker.left_in_run();
        job.move({job.buffers.table, offsets, count, job.buffers.items + walker.item_offset(),
                  walker.run().item_stride, job.slice_bytes, job.element_bytes, false, job.fill,
                  job.byte_table});
        offsets += count;
        walker.advance(count);
    }
}

}  // namespace dmlindex::cpu
