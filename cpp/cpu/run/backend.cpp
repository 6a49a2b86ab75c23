#include "cpu/backend.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/trials.hpp"
#include "cpu/run/all_alike.hpp"
#include "cpu/run/aside.hpp"
#include "cpu/run/bad_index.hpp"
#include "cpu/run/copied_rows.hpp"
#include "cpu/run/copy_source.hpp"
#include "cpu/run/few.hpp"
#include "cpu/run/fill_outside.hpp"
#include "cpu/run/free_dims.hpp"
#include "cpu/run/held_offsets.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/linear.hpp"
#include "cpu/run/packed.hpp"
#include "cpu/run/repeated.hpp"
#include "cpu/run/rows.hpp"
#include "cpu/run/split.hpp"
#include "cpu/run/strips.hpp"
#include "parallel/parallel.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// Each thread looks at every update. Of elements it keeps its own together, which takes about as
// long as moving one to a table in the caches; past longer slices of others it jumps, which takes
// about as long as moving some cache lines.
bool pays_by_destination(const Job& job, const Plan& plan) noexcept {
    constexpr std::int64_t kJumpBytes = 256;
    constexpr std::int64_t kSharedBytes = 1 << 20;
    if (job.slice_bytes > kElementBytes) {
        return job.slice_bytes >= kJumpBytes &&
               position_count(plan) * job.slice_bytes >= kSharedBytes;
    }
    return reached_bytes(plan) > caches().far_bytes;
}

// Threads share a scatter whose updates may meet by destination: each walks all of them, in order,
// and moves those that fall into its own part of the table.
void execute_by_destination(Job job, const Plan& plan, bool held, int threads) {
    if (plan.reduction == Reduction::kNone) {  // reductions always pass over what is skipped
        job.move = choose_move(kernels(), plan, slice_class(plan.slice_bytes), true);
        job.move_any_size = choose_move(kernels(), plan, kSliceClasses - 1, true);
    }
    job.copy = nullptr;
    const OffsetRange range(plan);
    std::int64_t first = held ? 0 : range.lowest;  // held offsets count up from the lowest
    std::int64_t last = first + range.steps * range.unit + 1;
    const auto widen = [&](std::int64_t reach) { (reach < 0 ? first : last) += reach; };
    for (int d = 0; d < job.rank; ++d) widen((job.dims[d].size - 1) * job.dims[d].table_stride);
    parallel_for(threads, [&](std::int64_t t) {
        Job part = job;
        const std::int64_t step = (last - first) / threads;
        part.first_offset = first + t * step;
        part.last_offset = t + 1 == threads ? last : first + (t + 1) * step;
        execute(part);
    });
}

// What threads_for is asked with: to resolve a position takes as long as to copy so many bytes.
std::int64_t traffic_bytes(std::int64_t positions, std::int64_t slice_bytes) noexcept {
    constexpr std::int64_t kPositionBytes = 24;
    return positions * (2 * slice_bytes + kPositionBytes);
}

// Whether every position has indices of its own, tuples or those of a scatter, for which a job has
// no quicker way than to resolve them: it looks single ones up, and takes whole rows as such.
bool are_resolved_one_by_one(const Plan& plan) noexcept {
    const bool shared = std::any_of(plan.dims, plan.dims + plan.rank,
                                    [](const Dim& dim) { return dim.index_stride == 0; });
    if (shared || plan.rank == 0) return false;
    if (plan.coordinate_count > 1) return true;
    return plan.direction == Direction::kScatter &&
           plan.dims[plan.rank - 1].table_stride != plan.slice_bytes;
}

// Whether rows of the table that fit registers share their indices, which are read over and over:
// a byte for each is quicker.
bool shares_few_places(const Job& job, const Plan& plan) noexcept {
    constexpr std::int64_t kManyTimes = 4;
    return job.look_up != nullptr && goes_in_registers(kernels(), look_up_run(job)) &&
           position_count(plan) >= kManyTimes * index_count(plan);
}

// Runs a job in strips, which hold its indices as they need them: all of them, where they have to
// be checked first. False if an index is out of range; nothing where strips do not pay. copies:
// whether the scatter's source is still to be copied.
std::optional<bool> run_in_strips(const Plan& plan, const Job& job, const Split& split, int threads,
                                  bool check_first, bool copies) {
    if (!Strips::pay(job) || partition(job).free_count > 1 ||
        has_whole_rows(job, job.dims, job.rank))
        return std::nullopt;
    const bool from_source = copies && plan.copy_rank == 0 && Strips::cover(job, plan.copy_bytes);
    const std::byte* const source = from_source ? job.buffers.source : job.buffers.table;
    const std::int64_t parts = std::min<std::int64_t>(threads, split.parts);
    std::vector<std::unique_ptr<Strips>> strips;
    for (std::int64_t p = 0; p < parts; ++p) {
        const Job part = part_of(job, split, p, parts);
        if (!Strips::pay(part)) return std::nullopt;
        const std::byte* const part_source = source + (part.buffers.table - job.buffers.table);
        strips.push_back(std::make_unique<Strips>(part, part_source, check_first));
        if (!strips.back()->has_memory()) return std::nullopt;
    }
    std::atomic<bool> all_good{true};
    const auto for_all = [&](bool (Strips::*run)() noexcept) {
        parallel_for(parts, [&](std::int64_t p) {
            if (!(strips[static_cast<std::size_t>(p)].get()->*run)()) all_good.store(false);
        });
        return all_good.load();
    };
    if (check_first && !for_all(&Strips::hold_all)) return false;
    if (copies && !from_source) copy_source(plan, job.buffers);
    return for_all(check_first ? &Strips::move_all : &Strips::hold_and_move);
}

constexpr std::int64_t kTinyPositions = 192;

bool run_checked(const Plan& plan, const Buffers& buffers, OnFailure on_failure, bool copies);

// False if an index is out of range; nothing where there is no memory.
std::optional<bool> run_aside(const Plan& plan, const Buffers& buffers, std::int64_t bytes) {
    const std::unique_ptr<std::byte[]> own(new (std::nothrow)
                                               std::byte[static_cast<std::size_t>(bytes)]);
    if (own == nullptr) return std::nullopt;
    Buffers aside = buffers;
    std::byte*& written = plan.direction == Direction::kGather ? aside.items : aside.table;
    std::byte* const given = std::exchange(written, own.get());
    if (!run_checked(plan, aside, OnFailure::kAnything, plan.copies_source)) return false;
    copy_all(given, own.get(), bytes);
    return true;
}

// False if an index is out of range and the mode gives it no place. copies: whether the scatter's
// source is still to be copied.
bool run_checked(const Plan& plan, const Buffers& buffers, OnFailure on_failure, bool copies) {
    const std::int64_t positions = position_count(plan);
    const std::int64_t bytes = positions * plan.slice_bytes;
    if (has_no_place(plan)) return false;
    if (bytes == 0) {
        if (plan.mode == Mode::kRaise && index_count(plan) > 0 &&
            first_bad_index(plan, buffers.indices))
            return false;
        if (copies) copy_source(plan, buffers);
        return true;
    }

    const bool check_first = plan.mode == Mode::kRaise && on_failure == OnFailure::kUntouched;
    // Few are taken at once. Where they have to be checked first, to hold their offsets takes
    // longer; elsewhere it is the blocks' set-up that does.
    if (bytes <= kFewBytes && positions <= kBlockPositions) {
        const LookUpKernel look_up = check_first ? nullptr : row_look_up(plan);
        const bool far = look_up == nullptr && table_is_far(plan, reached_bytes(plan));
        if (check_first || look_up != nullptr || positions <= kTinyPositions ||
            (far && plan.rank == 1) || are_resolved_one_by_one(plan)) {
            return run_few(plan, buffers, copies, look_up, far);
        }
    }

    const std::int64_t traffic = traffic_bytes(positions, plan.slice_bytes);
    const int threads = threads_for(traffic);
    const WorthThreads worth(traffic);
    if (const auto good = run_all_alike(plan, buffers, threads)) return *good;

    Job job = make_job(plan, buffers, threads);
    const Split split = threads > 1 ? choose_split(job, threads) : Split{};
    const bool by_destination = threads > 1 && plan.direction == Direction::kScatter &&
                                split.parts < threads && pays_by_destination(job, plan);

    if (!by_destination) {
        const auto good = run_in_strips(plan, job, split, threads, check_first, copies);
        if (good) return *good;
    }
    if (const std::int64_t aside = check_first ? bytes_aside(plan) : 0; aside > 0) {
        if (const auto good = run_aside(plan, buffers, aside)) return *good;
    }

    HeldOffsets held;
    const bool pays_to_hold = by_destination || shares_few_places(job, plan);
    const bool hold = check_first || (plan.mode != Mode::kSkip && pays_to_hold);
    if (hold) {
        if (!held.resolve(plan, buffers.indices, threads)) return false;
        held.apply(job);
    }
    if (copies && !by_destination && goes_by_copied_rows(plan)) {
        return execute_copied_rows(plan, job, threads);
    }
    if (copies) copy_source(plan, buffers);
    if (by_destination) {
        execute_by_destination(job, plan, hold, threads);
        return true;
    }
    return split.parts > 1 ? execute_parts(job, split, threads) : execute(job);
}

// Whether a linear plan whose indices are all in range has faster ways than one at a time, so that
// it is tried as if they were.
bool has_faster_ways(const Plan& plan, int threads) noexcept {
    constexpr std::int64_t kLeastBytes = 4096;
    if (threads > 1 && plan.direction == Direction::kScatter) return true;
    const std::int64_t positions = position_count(plan);
    const std::int64_t bytes = positions * plan.slice_bytes;
    if (positions <= kTinyPositions && bytes <= kFewBytes) return true;
    if (bytes < kLeastBytes) return false;
    const bool has_free_dim = std::any_of(plan.dims, plan.dims + plan.rank,
                                          [](const Dim& dim) { return dim.index_stride == 0; });
    const bool moves_along = plan.rank > 0 && plan.dims[plan.rank - 1].table_stride != 0;
    return has_free_dim || moves_along;
}

void run_on_line(const Plan& plan, const Buffers& buffers) {
    const std::int64_t positions = position_count(plan);
    const std::int64_t traffic = traffic_bytes(positions, plan.slice_bytes);
    const int threads = threads_for(traffic);
    const WorthThreads worth(traffic);
    if (plan.copies_source) copy_source(plan, buffers);
    // What a scatter has written until it fails, it writes again.
    if (has_faster_ways(plan, threads) && run_checked(plan, buffers, OnFailure::kAnything, false)) {
        return;
    }
    run_linear(plan, make_job(plan, buffers, threads), threads);
}

bool run_packed(const Plan& plan, const Buffers& buffers, OnFailure on_failure) {
    if (const std::optional<Repeated> repeated = find_repeated(plan)) {
        if (!run_packed(repeated->once, buffers, on_failure)) return false;
        repeat(*repeated, buffers);
        return true;
    }
    const std::optional<Packed> packed = pack(plan, buffers);
    return packed
               ? run_checked(packed->plan, packed->buffers, on_failure, packed->plan.copies_source)
               : run_checked(plan, buffers, on_failure, plan.copies_source);
}

// A gather that fills what is out of range has fewer ways than one that clamps it: where indices
// are few beside what is moved, all are clamped, and those out of range filled in the end. False,
// with nothing written, if they are many, or there is nothing to clamp to.
bool run_filled(const Plan& plan, const Buffers& buffers) {
    constexpr std::int64_t kManyTimes = 8;
    constexpr std::int64_t kManyBytes = 64;
    if (plan.direction != Direction::kGather || plan.mode != Mode::kSkip) return false;
    const std::int64_t positions = position_count(plan);
    const std::int64_t bytes = positions * plan.slice_bytes;
    const std::int64_t indices = index_count(plan);
    if (bytes <= kFewBytes || indices > std::max(positions / kManyTimes, bytes / kManyBytes))
        return false;
    Plan clamped = plan;
    clamped.mode = Mode::kClamp;
    if (!run_packed(clamped, buffers, OnFailure::kAnything)) return false;
    fill_outside(plan, buffers, threads_for(traffic_bytes(positions, plan.slice_bytes)));
    return true;
}

// Whether the plan copies so much in pages that it is worth a trial of who does that.
bool copies_pages(const Plan& plan) noexcept {
    constexpr std::int64_t kWorthATrial = std::int64_t{1} << 18;
    const std::int64_t sliced = plan.slice_bytes >= kPageBytes ? plan.slice_bytes : 0;
    const std::int64_t copied = plan.copy_bytes >= kPageBytes ? source_bytes(plan) : 0;
    return (sliced > 0 && position_count(plan) * sliced >= kWorthATrial) || copied >= kWorthATrial;
}

}  // namespace

std::optional<BadIndex> run(const Plan& plan, const Buffers& buffers, OnFailure on_failure) {
    if (copies_pages(plan)) find_who_copies_pages(kernels());
    if (plan.is_linear) {
        run_on_line(plan, buffers);
        return std::nullopt;
    }
    if (run_filled(plan, buffers) || run_packed(plan, buffers, on_failure)) return std::nullopt;
    return first_bad_index(plan, buffers.indices).value_or(BadIndex{-1, 0, 0});
}

}  // namespace dmlindex::cpu
