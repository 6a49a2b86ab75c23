// Sums in any order whose updates go to their range of the table first, of which a group then
// keeps one in its memory.

#include <algorithm>

#include "d3d12/backend.hpp"
#include "d3d12/encode/blocks.hpp"
#include "d3d12/encode/encode_moves.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::uint64_t kMovedBytes = 8;  // of an update: its offset in the table, and its bits
// Groups that count and move, and that accumulate: what a large GPU has at work, as each begins
// with what others have told of all buckets, and ends with what it keeps.
constexpr std::uint64_t kMovingGroups = 528;
constexpr std::uint64_t kAccumulatingGroups = 264;
// Of fewer words, lists are quicker.
constexpr std::uint64_t kLeastWords = 64;
// Slices of several words lie together, where buckets tear them apart: an element has so many.
constexpr std::uint64_t kOfSlices = 16;
constexpr std::uint64_t kFewer = 8;  // updates pay by buckets where words have many each
// A bucket has 2 to the power of it words at least: of fewer, threads meet too often.
constexpr std::uint32_t kLeastShift = 10;

std::uint64_t words_of(const Tensors& tensors) { return quotient_up(tensors.table.bytes, 4); }

}  // namespace

bool fits_buckets(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                  std::uint64_t updates) noexcept {
    const std::uint64_t words = words_of(tensors);
    const auto many = static_cast<std::uint64_t>(encoder.profile.bucket_updates);
    const auto again = static_cast<std::uint64_t>(encoder.profile.held_updates);
    const auto elements = tensors.table.bytes / static_cast<std::uint64_t>(plan.element_bytes);
    const std::uint64_t least = plan.slice_bytes <= kWord ? words : kOfSlices * elements;
    const bool pays =
        updates >= many ? updates >= least : updates >= many / kFewer && updates >= again * words;
    return pays && encoder.typed_views && plan.mode != Mode::kWrap &&
           kernel_values(plan.value_type) == VALUES_FLOATS && words >= kLeastWords &&
           words <= std::uint64_t{kBuckets} * kBucketWords &&
           updates <= static_cast<std::uint64_t>(encoder.texels);
}

void encode_buckets(const Encoder& encoder, const Tensors& tensors, Constants constants,
                    std::uint64_t updates, std::uint32_t empty) {
    const std::uint64_t words = words_of(tensors);
    std::uint32_t shift = kLeastShift;
    while (quotient_up(words, std::uint64_t{1} << shift) > kBuckets) ++shift;
    const std::uint64_t step = std::uint64_t{kFour} * kBuckets;  // updates of a group in a round
    const std::uint64_t rounds = quotient_up(updates, step * kMovingGroups);
    const std::uint64_t movers = quotient_up(updates, step * rounds);
    const Span offsets = encoder.allocate(4 * movers * rounds * step);
    const Span moved = encoder.allocate(updates * kMovedBytes);
    const Span counts = encoder.allocate(4 * ((2 + movers) * kBuckets + 1));  // buckets.hlsli
    encode_clear(encoder, Span{counts.chunk, counts.offset, std::uint64_t{4} * kBuckets}, 0);
    // The queue counts groups by threads; these have a size of their own.
    const auto dispatch = [&](Kernel kernel, const Views& views, std::uint64_t groups) {
        encoder.queue.dispatch(kernel, constants, views, groups * kGroup);
    };
    constants.pattern[0] = {static_cast<std::uint32_t>(rounds), empty,
                            static_cast<std::uint32_t>(words), 0};
    constants.pattern[1] = {shift, 1, 0, 0};
    Views views;
    views.read[1] = {tensors.indices, Format::kR32};
    views.written[0] = {offsets, Format::kRgba32};
    views.written[kWinnersRegister] = {counts, Format::kRaw};
    dispatch(Kernel::count_buckets, views, movers);
    views.read[0].span = tensors.items;
    views.read[2] = {offsets, Format::kRgba32};
    views.written[0] = {moved, Format::kRg32};
    dispatch(Kernel::move_to_buckets, views, movers);
    const std::uint64_t each = quotient_up(updates, step * kAccumulatingGroups) * step;
    constants.pattern[0][0] = static_cast<std::uint32_t>(each);
    views = {};
    views.read[0] = {moved, Format::kRg32};
    views.written[0].span = tensors.table;
    views.written[kWinnersRegister] = {counts, Format::kRaw};
    dispatch(Kernel::accumulate_buckets, views, quotient_up(updates, each));
}

}  // namespace dmlindex::d3d12
