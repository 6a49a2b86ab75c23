#include "cpu/run/linear.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/walker.hpp"
#include "parallel/parallel.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

constexpr std::int64_t kAddresses = std::int64_t{1} << 32;

// Some dims of a plan, in their order.
struct Dims {
    int rank = 0;
    std::int64_t positions = 1;
    Dim dims[kMaxDims];

    void append(const Dim& dim) noexcept {
        dims[rank++] = dim;
        positions *= dim.size;
    }
};

// A linear plan made ready to run. Strides and offsets in the table are in elements, as addresses
// are.
struct LinearJob {
    Buffers buffers;
    bool gathers;
    bool far;
    std::int64_t width;  // of an element, in bytes
    std::int64_t slice_elements;
    Line line;
    std::int64_t present;  // addresses below it are both on the line and there
    AddressKernel address;
    MoveKernel move;
    MoveKernel move_or_skip;  // for slices of one element
    Dims dims;                // those of the indices; all of a scatter's
    Dims shared;              // those along which a gather's indices are the same
    int coordinate_count;
    Coordinate coordinates[kMaxDims];
};

LinearJob make_job(const Plan& plan, const Buffers& buffers) noexcept {
    const Kernels& table = kernels();
    const int slice = slice_class(plan.slice_bytes);
    LinearJob job;
    job.buffers = buffers;
    job.gathers = plan.direction == Direction::kGather;
    job.width = plan.element_bytes;
    job.slice_elements = plan.slice_bytes / plan.element_bytes;
    job.line = plan.line;
    job.present = present_elements(plan.line);
    job.far = job.present * job.width > caches().far_bytes;
    job.address = table.address[static_cast<int>(plan.index_type)];
    job.move = (job.gathers ? table.gather : table.scatter)[slice];
    job.move_or_skip = (job.gathers ? table.gather_or_fill : table.scatter_or_drop)[slice];
    for (int d = 0; d < plan.rank; ++d) {
        Dim dim = plan.dims[d];
        dim.table_stride /= job.width;
        // Any two updates may meet, so that a scatter keeps to C order.
        (job.gathers && dim.index_stride == 0 ? job.shared : job.dims).append(dim);
    }
    job.coordinate_count = plan.coordinate_count;
    for (int k = 0; k < plan.coordinate_count; ++k) {
        job.coordinates[k] = plan.coordinates[k];
        job.coordinates[k].table_stride /= job.width;
    }
    return job;
}

// Part of the line: a thread's own in a scatter, all that is present in a gather.
struct Part {
    std::int64_t first;
    std::int64_t last;
};

// Writes count copies of an element; zeros, if it is null.
void fill(std::byte* to, const std::byte* element, std::int64_t width,
          std::int64_t count) noexcept {
    if (count <= 0) return;
    const auto bytes = static_cast<std::size_t>(count * width);
    if (element == nullptr) {
        std::memset(to, 0, bytes);
        return;
    }
    std::memcpy(to, element, static_cast<std::size_t>(width));
    for (auto done = static_cast<std::size_t>(width); done < bytes; done *= 2) {
        std::memcpy(to + done, to, std::min(done, bytes - done));
    }
}

// count elements from address on: first what is present, then zeros up to the line's last, then
// that one over again.
void gather_run(const LinearJob& job, std::int64_t address, std::int64_t count,
                std::byte* item) noexcept {
    const auto before = [&](std::int64_t end) {
        return std::clamp<std::int64_t>(end - address, 0, count);
    };
    const std::int64_t present = before(job.present);
    const std::int64_t on_line = before(job.line.last + 1);
    const std::byte* const table = job.buffers.table;
    if (present > 0) {
        std::memcpy(item, table + address * job.width,
                    static_cast<std::size_t>(present * job.width));
    }
    fill(item + present * job.width, nullptr, job.width, on_line - present);
    const bool has_last = job.line.last < job.present;
    fill(item + on_line * job.width, has_last ? table + job.line.last * job.width : nullptr,
         job.width, count - on_line);
}

void scatter_run(const LinearJob& job, const Part& part, std::int64_t address, std::int64_t count,
                 const std::byte* item) noexcept {
    const std::int64_t from = std::max(address, part.first);
    const std::int64_t to = std::min(address + count, part.last);
    if (from >= to) return;
    std::memcpy(job.buffers.table + from * job.width, item + (from - address) * job.width,
                static_cast<std::size_t>((to - from) * job.width));
}

// A slice that the part does not hold as a whole: up to where addresses wrap, and behind.
void move_in_runs(const LinearJob& job, const Part& part, std::int64_t address,
                  std::byte* item) noexcept {
    const std::int64_t up_to_wrap = std::min(job.slice_elements, kAddresses - address);
    const std::int64_t behind = job.slice_elements - up_to_wrap;
    if (job.gathers) {
        gather_run(job, address, up_to_wrap, item);
        gather_run(job, 0, behind, item + up_to_wrap * job.width);
    } else {
        scatter_run(job, part, address, up_to_wrap, item);
        scatter_run(job, part, 0, behind, item + up_to_wrap * job.width);
    }
}

// A block of positions whose slices have these addresses, counted from start.
struct Slices {
    std::int64_t start;
    const std::int64_t* addresses;
    std::int64_t count;
    std::int64_t lowest;  // of the addresses
    std::int64_t highest;
    std::byte* items;
    std::int64_t item_stride;
};

// Moves some of the slices, whose offsets are in bytes from table.
void move(const LinearJob& job, MoveKernel kernel, std::byte* table, const std::int64_t* offsets,
          const Slices& slices, std::int64_t first, std::int64_t end) noexcept {
    if (first == end) return;
    kernel({table, offsets + first, end - first, slices.items + first * slices.item_stride,
            slices.item_stride, job.slice_elements * job.width, job.width, job.far, nullptr,
            nullptr});
}

// Slices of one element, their addresses known as offsets in bytes.
void move_elements(const LinearJob& job, const Part& part, std::int64_t* offsets,
                   const Slices& slices) noexcept {
    if (job.gathers && job.line.last < job.present) {  // then nothing is behind it
        move(job, job.move, job.buffers.table, offsets, slices, 0, slices.count);
        return;
    }
    skip_outside(offsets, slices.count, part.first * job.width, part.last * job.width);
    move(job, job.move_or_skip, job.buffers.table, offsets, slices, 0, slices.count);
}

// Slices of any size, in order.
void move_slices(const LinearJob& job, const Part& part, std::int64_t* offsets,
                 const Slices& slices) noexcept {
    const auto wrapped = [](std::int64_t address) { return address & (kAddresses - 1); };
    const std::int64_t start = wrapped(slices.start);
    if (start + slices.lowest >= part.first &&
        start + slices.highest + job.slice_elements <= part.last) {
        for (std::int64_t i = 0; i < slices.count; ++i)
            offsets[i] = slices.addresses[i] * job.width;
        move(job, job.move, job.buffers.table + start * job.width, offsets, slices, 0,
             slices.count);
        return;
    }
    const std::int64_t most = job.gathers ? job.line.last : kAddresses - 1;
    if (job.slice_elements == 1) {
        for (std::int64_t i = 0; i < slices.count; ++i)
            offsets[i] = std::min(wrapped(start + slices.addresses[i]), most) * job.width;
        move_elements(job, part, offsets, slices);
        return;
    }
    std::int64_t whole = 0;  // from here on, slices are moved at once
    for (std::int64_t i = 0; i < slices.count; ++i) {
        const std::int64_t address = wrapped(start + slices.addresses[i]);
        offsets[i] = address * job.width;
        if (address >= part.first && address + job.slice_elements <= part.last) continue;
        move(job, job.move, job.buffers.table, offsets, slices, whole, i);
        whole = i + 1;
        move_in_runs(job, part, address, slices.items + i * slices.item_stride);
    }
    move(job, job.move, job.buffers.table, offsets, slices, whole, slices.count);
}

// Positions [first, last) of the job's dims, in C order; each of them all along the shared dims.
void run_positions(const LinearJob& job, const Part& part, std::int64_t first,
                   std::int64_t last) noexcept {
    std::int64_t addresses[kBlockPositions];
    std::int64_t offsets[kBlockPositions];
    const bool direct = job.slice_elements == 1 && job.shared.rank == 0;
    PositionWalker walker(job.dims.dims, job.dims.rank, first);
    for (std::int64_t position = first; position < last;) {
        const std::int64_t count =
            std::min({kBlockPositions, walker.left_in_run(), last - position});
        const IndexRun run =
            walker.index_run(job.buffers.indices, count, job.coordinates, job.coordinate_count);
        std::byte* const items = job.buffers.items + walker.item_offset();
        Slices slices{0, addresses, count, 0, 0, items, walker.run().item_stride};
        if (direct) {
            job.address(run, job.gathers ? job.line.last : kAddresses - 1, job.width, offsets);
            move_elements(job, part, offsets, slices);
        } else {
            job.address(run, kAddresses - 1, 1, addresses);
            const auto [lowest, highest] = std::minmax_element(addresses, addresses + count);
            slices.lowest = *lowest;
            slices.highest = *highest;
            for (PositionWalker at(job.shared.dims, job.shared.rank, 0); !at.at_end();
                 at.advance(1)) {
                slices.start = at.table_offset();
                slices.items = items + at.item_offset();
                move_slices(job, part, offsets, slices);
            }
        }
        walker.advance(count);
        position += count;
    }
}

}  // namespace

void run_linear(const Plan& plan, const Buffers& buffers) {
    const LinearJob job = make_job(plan, buffers);
    const std::int64_t positions = job.dims.positions;
    const int threads = threads_for((2 * plan.slice_bytes + 8) * position_count(plan));
    if (job.gathers) {
        const std::int64_t parts = std::min<std::int64_t>(threads, positions);
        parallel_for(parts, [&](std::int64_t p) {
            run_positions(job, {0, job.present}, p * positions / parts,
                          (p + 1) * positions / parts);
        });
        return;
    }
    // Threads share the table, and each walks all updates in order: that pays where moving waits
    // for memory.
    const std::int64_t parts = job.far ? std::min<std::int64_t>(threads, job.present) : 1;
    parallel_for(parts, [&](std::int64_t p) {
        run_positions(job, {p * job.present / parts, (p + 1) * job.present / parts}, 0, positions);
    });
}

}  // namespace dmlindex::cpu
