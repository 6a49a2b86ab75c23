#include "cpu/run/linear.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/carry.hpp"
#include "cpu/run/linear_job.hpp"
#include "cpu/run/walker.hpp"
#include "parallel/parallel.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// A block of positions that follow each other, from begin on; offsets are theirs, as they come.
struct Slices {
    std::int64_t* offsets;
    std::int64_t count;
    std::byte* items;
    std::int64_t item_stride;
};

void move(const LinearJob& linear, const Slices& slices, std::int64_t start,
          Carry& carry) noexcept {
    const Job& job = linear.job;
    deliver(
        job,
        {job.buffers.table + start, slices.offsets, slices.count, slices.items, slices.item_stride,
         job.slice_bytes, job.element_bytes, job.far, job.fill, nullptr, job.asks_for_items},
        carry);
}

// Offsets as they are on the line.
void move_one_by_one(const LinearJob& linear, const Part& part, const Slices& slices) noexcept {
    const std::int64_t bytes = linear.job.slice_bytes;
    for (std::int64_t i = 0; i < slices.count; ++i) {
        std::byte* const item = slices.items + i * slices.item_stride;
        if (linear.gathers()) {
            gather_slice(linear.line, slices.offsets[i], bytes, item);
        } else {
            scatter_slice(linear.line, part, slices.offsets[i], bytes, item);
        }
    }
}

// The offsets of the next positions, as many as fit a block and lie in a row. False if a slice is
// there in part.
bool find_block(const LinearJob& linear, const LineSpan& span, PositionWalker& walker,
                std::int64_t most, Slices& slices) noexcept {
    const Job& job = linear.job;
    slices.items = job.buffers.items + walker.item_offset();
    slices.item_stride = walker.run().item_stride;
    slices.count = 0;
    bool whole = true;
    do {
        const std::int64_t count = std::min(walker.left_in_run(), most - slices.count);
        whole &= linear.address(
            walker.index_run(job.buffers.indices, count, job.coordinates, job.coordinate_count),
            span, slices.offsets + slices.count);
        slices.count += count;
        walker.advance(count);
    } while (linear.dims.follow && slices.count < most);
    return whole;
}

// Skips what another thread writes. False if a slice is partly its.
bool keep_own(const Part& part, std::int64_t bytes, Slices& slices) noexcept {
    bool whole = true;
    for (std::int64_t i = 0; i < slices.count; ++i) {
        const std::int64_t offset = slices.offsets[i];
        if (offset == kSkipped || (offset >= part.first && offset + bytes <= part.last)) continue;
        whole &= offset >= part.last || offset + bytes <= part.first;
        slices.offsets[i] = kSkipped;
    }
    return whole;
}

// One block all along the shared dims; its offsets are as they are on the line.
void move_shared(const LinearJob& linear, const Part& part, const Slices& block,
                 Carry& carry) noexcept {
    const LineSpan& span = linear.span;
    const int shift = std::countr_zero(static_cast<std::uint64_t>(linear.line.width));
    // Where a row of them is not all there, the addresses are indices of their own.
    const AddressKernel place = kernels().address[static_cast<int>(IndexType::kUint64)];
    const Coordinate element{0, linear.line.width, 0, 0};
    alignas(kCacheLineBytes) std::int64_t addresses[kBlockPositions];
    std::int64_t highest = 0;
    for (std::int64_t i = 0; i < block.count; ++i) {
        highest = std::max(highest, block.offsets[i]);
        addresses[i] = block.offsets[i] >> shift;
    }
    const auto* const as_bytes = reinterpret_cast<const std::byte*>(addresses);
    for (PositionWalker at(linear.shared.dims, linear.shared.rank, 0); !at.at_end();
         at.advance(1)) {
        const std::int64_t start = at.table_offset();
        Slices slices = block;
        slices.items += at.item_offset();
        if (start + highest <= span.whole) {
            move(linear, slices, start, carry);
            continue;
        }
        alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
        slices.offsets = offsets;
        if (place({as_bytes, 8, block.count, start, 0, &element, 1}, span, offsets)) {
            move(linear, slices, 0, carry);
            continue;
        }
        for (std::int64_t i = 0; i < block.count; ++i) {
            offsets[i] = (start + block.offsets[i]) & (span.wrap - 1);
        }
        move_one_by_one(linear, part, slices);
    }
}

// As many steps as can be of a row of indices.
std::int64_t look_up(const LinearJob& linear, const PositionWalker& walker,
                     std::int64_t most) noexcept {
    const Job& job = linear.job;
    IndexRun run = walker.index_run(job.buffers.indices, std::min(walker.left_in_run(), most),
                                    job.coordinates, job.coordinate_count);
    run.fetches_table = job.fetches_table;
    std::byte* const items = job.buffers.items + walker.item_offset();
    if (linear.look_up == nullptr) {
        return job.look_up(run, linear.line.table + run.table_offset, items);
    }
    run.table_offset /= linear.line.width;
    return linear.look_up(run, linear.last_place, linear.line.table, items);
}

// Positions [first, last) of the job's dims, in C order; each of them all along the shared dims.
// filtered: a scatter's, of which only the part is this thread's.
void run_positions(const LinearJob& linear, const Part& part, bool filtered, std::int64_t first,
                   std::int64_t last) noexcept {
    const LineSpan as_it_is{linear.line.wrap, linear.line.wrap - 1, 0, linear.line.wrap, 0, true};
    const bool shares = linear.shared.rank > 0;
    alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
    Carry carry;
    PositionWalker walker(linear.dims.dims, linear.dims.rank, first);
    std::int64_t patience = kLookUpStep;
    for (std::int64_t position = first; position < last;) {
        std::int64_t most = std::min(kBlockPositions, last - position);
        if (linear.looks_up) {
            const std::int64_t moved = look_up(linear, walker, last - position);
            walker.advance(moved);
            position += moved;
            if (moved > 0) {
                patience = kLookUpStep;
                continue;
            }
            // Where one step after the other cannot be looked up, ever more go without.
            most = std::min({most, patience, walker.left_in_run()});
            patience *= 2;
        }
        Slices slices{offsets, 0, nullptr, 0};
        bool whole = find_block(linear, shares ? as_it_is : linear.span, walker, most, slices);
        if (filtered) whole = keep_own(part, linear.job.slice_bytes, slices) && whole;
        if (shares) {
            move_shared(linear, part, slices, carry);
        } else if (whole) {
            move(linear, slices, 0, carry);
        } else {
            PositionWalker again(linear.dims.dims, linear.dims.rank, position);
            find_block(linear, as_it_is, again, most, slices);
            move_one_by_one(linear, part, slices);
        }
        position += slices.count;
    }
    if (linear.job.stream != nullptr) kernels().fence();
}

}  // namespace

void run_linear(const Plan& plan, const Job& job, int threads) {
    const LinearJob linear(plan, job);
    const std::int64_t positions = linear.dims.positions;
    const Part all{0, linear.line.present};
    if (linear.gathers()) {
        const std::int64_t parts = std::min<std::int64_t>(threads, positions);
        parallel_for(parts, [&](std::int64_t p) {
            run_positions(linear, all, false, p * positions / parts, (p + 1) * positions / parts);
        });
        return;
    }
    // Threads share the table, and each walks all updates in order: that pays where moving waits
    // for the last level or memory.
    const bool waits = reached_bytes(plan) > 2 * caches().l2_bytes;
    const std::int64_t elements = linear.line.present / linear.line.width;
    const std::int64_t parts = waits ? std::min<std::int64_t>(threads, elements) : 1;
    parallel_for(parts, [&](std::int64_t p) {
        const Part part{p * elements / parts * linear.line.width,
                        (p + 1) * elements / parts * linear.line.width};
        run_positions(linear, part, parts > 1, 0, positions);
    });
}

}  // namespace dmlindex::cpu
