#include "cpu/run/job.hpp"

#include <algorithm>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/in_caches.hpp"
#include "cpu/kernels/trials.hpp"
#include "cpu/run/tiles.hpp"
#include "cpu/run/tuples.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// For shorter ones, lines in which one ends and the next begins are too many to gain anything.
constexpr std::int64_t kStreamedSliceBytes = 4 * kCacheLineBytes;

// Of less than that, read and written together, a Zen 4's last level keeps so much that the next
// result finds its memory there. Where that level is slow, results are larger before they stream.
constexpr std::int64_t kKeptBytes = std::int64_t{20} << 20;

// The same where slices are many pages, and the C library is the quicker one to copy them: it
// fetches no lines to write to.
constexpr std::int64_t kKeptByLibraryBytes = std::int64_t{48} << 20;
constexpr std::int64_t kManyPagesBytes = 12 * kPageBytes;

// To so many positions it makes a difference whether they had better ask for what they read, or for
// so large a result whether for what they write.
constexpr std::int64_t kWorthATrial = 4096;
constexpr std::int64_t kBytesWorthATrial = 256 << 10;

// Whether L1 keeps a gather waiting for its result's lines: those that it does not hold. While it
// holds the table, L2 answers sooner than its lines are written.
bool misses_l1(std::int64_t result_bytes, std::int64_t table_bytes) noexcept {
    constexpr std::int64_t kL1Bytes = 48 << 10;
    return result_bytes > (table_bytes > kL1Bytes ? kL1Bytes : caches().l2_bytes / 4);
}

// Whether a gather of rows had better ask for its result's lines: where they come from memory it
// always had.
bool rows_ask(const Plan& plan, std::int64_t reached) noexcept {
    if (plan.direction != Direction::kGather || plan.slice_bytes <= kElementBytes) return false;
    const std::int64_t result_bytes = position_count(plan) * plan.slice_bytes;
    if (!misses_l1(result_bytes, reached)) return false;
    if (result_bytes > caches().far_bytes) return true;
    static constinit Found gains;
    return gains.known_or(result_bytes >= kBytesWorthATrial,
                          [] { return rows_gain_by_asking(kernels().gather[kSliceClasses - 1]); });
}

bool is_in_one_piece(const Plan& plan) noexcept {
    return plan.rank == 0 || (plan.dims[plan.rank - 1].item_stride == plan.slice_bytes &&
                              items_are_linear(plan.dims, plan.rank));
}

// Whether a gather's result is so large that it is written past the caches; not if they have it,
// which can be told of one in one piece.
bool is_streamed(const Plan& plan, const Buffers& buffers, std::int64_t reached,
                 int threads) noexcept {
    if (plan.direction != Direction::kGather || plan.mode == Mode::kSkip ||
        plan.slice_bytes < kStreamedSliceBytes || kernels().stream == nullptr) {
        return false;
    }
    const std::int64_t table_bytes = reached + spread_bytes(plan.dims, plan.rank);
    const std::int64_t result_bytes = position_count(plan) * plan.slice_bytes;
    const bool by_library = plan.slice_bytes >= kManyPagesBytes && library_copies_pages();
    const std::int64_t kept_bytes = by_library ? kKeptByLibraryBytes : kKeptBytes;
    return result_bytes + table_bytes >= kept_bytes && goes_past_caches(result_bytes, threads) &&
           !(is_in_one_piece(plan) && are_in_caches(buffers.items, result_bytes));
}

// Halves wait longer for each other, where each step converts them.
constexpr std::int64_t kManyInARow = 22;
constexpr std::int64_t kManyHalvesInARow = 10;

// By index type; null where there is none.
const UpdateKernel* choose_updates(const Kernels& table, const Plan& plan) noexcept {
    const bool plain = plan.rank > 0 && plan.coordinate_count == 1 &&
                       plan.coordinates[0].table_stride == plan.slice_bytes;
    return plain ? updates_for(table, plan, plan.coordinates[0].limit) : nullptr;
}

// Whether a scatter of many single elements by their indices waits for a table that L2 does not
// hold.
bool updates_wait(const Plan& plan, std::int64_t reached) noexcept {
    return plan.reduction == Reduction::kNone && reached > 2 * caches().l2_bytes &&
           position_count(plan) >= kWorthATrial && stores_wait();
}

}  // namespace

const UpdateKernel* updates_for(const Kernels& table, const Plan& plan,
                                std::int64_t places) noexcept {
    // Into fewer places updates wait for those before them; minima and maxima soon change nothing,
    // which long rows find out.
    constexpr std::int64_t kFewOrderedPlaces = 256;
    constexpr std::int64_t kLongRow = 65536;
    if (plan.direction != Direction::kScatter || plan.slice_bytes > kElementBytes) return nullptr;
    if (plan.reduction == Reduction::kNone) return table.put[slice_class(plan.slice_bytes)];
    const bool sums = plan.reduction == Reduction::kAdd || plan.reduction == Reduction::kMul;
    const bool is_long = plan.rank > 0 && plan.dims[plan.rank - 1].size >= kLongRow;
    const std::int64_t few = sums ? table.few_summed_places : is_long ? 1 : kFewOrderedPlaces;
    if (plan.element_bytes != plan.slice_bytes || places <= few) return nullptr;
    const auto& slots = table.put_reduced[static_cast<int>(plan.value_type)];
    return slots[static_cast<int>(plan.reduction)];
}

bool table_is_far(const Plan& plan, std::int64_t reached) noexcept {
    const Kernels& table = kernels();
    const bool gathers = plan.direction == Direction::kGather;
    const std::int64_t near_bytes = (gathers ? 4 : 2) * caches().l2_bytes;
    const std::int64_t far_bytes = (gathers ? 12 : 8) * caches().l2_bytes;
    if (reached <= near_bytes || reached > far_bytes) return reached > far_bytes;
    const bool tries = position_count(plan) >= kWorthATrial;
    if (gathers) {
        static constinit Found near_is_quicker;
        const MoveKernel gather = table.gather[slice_class(kCacheLineBytes)];
        return !near_is_quicker.known_or(tries, [&] { return near_slices_are_quicker(gather); });
    }
    static constinit Found near_is_quicker;
    const UpdateKernel put = put_of_floats(table);
    if (put == nullptr) return true;
    return !near_is_quicker.known_or(tries, [&] { return near_updates_are_quicker(put); });
}

LookUps look_ups_for(const Kernels& kernels, IndexType index_type, Mode mode, LookUpRun run,
                     std::int64_t reached) noexcept {
    const auto type = static_cast<int>(index_type);
    const auto placed = static_cast<int>(mode);
    const int slice = run.slice_class;
    const std::int64_t gathered = kernels.least_gathered[slice];
    if (goes_in_registers(kernels, run) && (gathered == 0 || run.limit < gathered))
        return {kernels.look_up_small[type][placed][slice], nullptr};
    const std::int64_t l2_bytes = caches().l2_bytes;
    LookUpKernel usual = kernels.look_up[type][placed][slice];
    if (slice >= kElementClasses || reached <= 2 * l2_bytes) return {usual, nullptr};
    const LookUpKernel far = kernels.look_up_far[type][placed][slice];
    if (far != nullptr) usual = far;
    const LookUpKernel singly = kernels.look_up_singly[type][placed][slice];
    return {usual, reached > 4 * l2_bytes && singly != usual ? singly : nullptr};
}

LookUps choose_look_ups(const Plan& plan, std::int64_t reached) noexcept {
    const int slice = slice_class(plan.slice_bytes);
    const bool plain_gather = plan.direction == Direction::kGather && plan.coordinate_count == 1 &&
                              plan.coordinates[0].table_stride == plan.slice_bytes;
    if (!plain_gather) return {};
    // Some are copied as more bytes than they have, but at the table's end.
    constexpr std::int64_t kLeastPlaces = 32;
    const bool is_any_size = kClassBytes[slice] == 0;
    const bool is_widened = slice >= kElementClasses && plan.slice_bytes <= kMostWidenedBytes;
    if ((is_any_size && !is_widened) || (is_widened && plan.coordinates[0].limit < kLeastPlaces)) {
        return {};
    }
    const std::int64_t count = plan.rank > 0 ? plan.dims[plan.rank - 1].size : 1;
    return look_ups_for(kernels(), plan.index_type, plan.mode,
                        {slice, plan.coordinates[0].limit, count}, reached);
}

Job make_job(const Plan& plan, const Buffers& buffers, int threads) noexcept {
    const Kernels& table = kernels();
    const bool may_skip = plan.mode == Mode::kSkip;
    const int slice = slice_class(plan.slice_bytes);
    const std::int64_t reached = reached_bytes(plan);
    Job job;
    job.direction = plan.direction;
    job.rank = plan.rank;
    job.coordinate_count = plan.coordinate_count;
    job.coordinates = plan.coordinates;
    job.resolve = table.resolve[static_cast<int>(plan.index_type)][static_cast<int>(plan.mode)];
    job.hold = table.hold[static_cast<int>(plan.index_type)][1];
    job.move = choose_move(table, plan, slice, may_skip);
    job.move_any_size = choose_move(table, plan, kSliceClasses - 1, may_skip);
    job.compress = table.compress[slice];
    job.reduces = plan.reduction != Reduction::kNone;
    job.many_in_a_row = plan.value_type == ValueType::kFloat16 ? kManyHalvesInARow : kManyInARow;
    job.far = table_is_far(plan, reached);
    job.items_are_far = position_count(plan) * (plan.slice_bytes + index_bytes(plan.index_type)) >
                        caches().far_bytes;
    job.asks_for_items = !job.far && rows_ask(plan, reached);
    job.stream = is_streamed(plan, buffers, reached, threads) ? table.stream : nullptr;
    job.fetches_table =
        reached > caches().far_bytes || (job.far && plan.slice_bytes > kElementBytes);
    job.reached = reached;
    const LookUps look_ups = choose_look_ups(plan, reached);
    job.look_up = look_ups.usual;
    job.look_up_singly = look_ups.singly;
    job.look_up_placed =
        plan.direction == Direction::kGather && plan.coordinate_count == 1 && !job.fetches_table
            ? look_up_placed_for(table, plan.index_type, plan.mode, plan.slice_bytes)
            : nullptr;
    job.updates = choose_updates(table, plan);
    job.update = job.updates != nullptr ? job.updates[static_cast<int>(plan.index_type)] : nullptr;
    job.tuples = tuple_kernels_for(plan, reached);
    job.asks_for_updates = job.far || ((job.update != nullptr || job.tuples.updates != nullptr) &&
                                       updates_wait(plan, reached));
    job.copy = job.reduces ? nullptr : table.copy[slice];
    job.buffers = buffers;
    job.index_bytes = index_bytes(plan.index_type);
    job.slice_bytes = plan.slice_bytes;
    job.element_bytes = plan.element_bytes;
    job.whole_elements = job.reduces || (may_skip && plan.fill != nullptr);
    job.fill = plan.fill;
    job.byte_table = plan.byte_table;
    job.first_offset = kSkipped;
    job.last_offset = kSkipped;
    std::copy_n(plan.dims, plan.rank, job.dims);
    return job;
}

}  // namespace dmlindex::cpu
