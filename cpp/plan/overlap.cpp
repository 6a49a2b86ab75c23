#include "plan/overlap.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "plan/plan.hpp"

namespace dmlindex {
namespace {

using std::int64_t;

// Every sum below stays under it, so that none can overflow; a tensor that reaches it is none.
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max() / 8;
constexpr int64_t kMaxSteps = int64_t{1} << 22;

struct StridedDim {
    int64_t size;    // ≥ 2
    int64_t stride;  // > 0: the sign says where a dim starts, not whether it meets itself
};

// a·b, or kLargest where that is less; neither is negative.
int64_t capped_product(int64_t a, int64_t b) noexcept {
    return a != 0 && b > kLargest / a ? kLargest : std::min(a * b, kLargest);
}

int64_t floor_divide(int64_t a, int64_t b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }

// Two positions p and p' share a byte exactly when their difference δ = p - p' ≠ 0 obeys
// |Σ δ_d·stride_d| < element_bytes. The search picks δ_d from the largest stride down, and goes
// only where the dims that are left can still bring the sum that close to 0: by their reach, and
// because they move it in steps of their common divisor.
class DifferenceSearch {
  public:
    // dims have the largest stride first.
    DifferenceSearch(std::span<const StridedDim> dims, int64_t element_bytes) noexcept
        : dims_(dims), element_bytes_(element_bytes) {
        const std::size_t rank = dims.size();
        reach_[rank] = 0;
        divisor_[rank] = 0;
        for (std::size_t d = rank; d-- > 0;) {
            reach_[d] = reach_[d + 1] + (dims[d].size - 1) * dims[d].stride;
            divisor_[d] = std::gcd(divisor_[d + 1], dims[d].stride);
        }
    }

    Overlap run() noexcept { return search(0, 0, false); }

  private:
    // The dims before `depth` have brought the sum to `sum`; `moved` when their δ is not all 0.
    // Until one has moved, δ ≥ 0: δ and -δ are the same pair of positions.
    Overlap search(std::size_t depth, int64_t sum, bool moved) noexcept {
        const auto [size, stride] = dims_[depth];
        const int64_t slack = element_bytes_ - 1 + reach_[depth + 1];
        const int64_t first = std::max(moved ? 1 - size : 0, -floor_divide(slack + sum, stride));
        const int64_t last = std::min(size - 1, floor_divide(slack - sum, stride));
        if (depth + 1 == dims_.size()) {
            return first <= last && (moved || last > 0) ? Overlap::kSome : Overlap::kNone;
        }
        for (int64_t delta = first; delta <= last; ++delta) {
            if (++steps_ > kMaxSteps) return Overlap::kUnknown;
            const int64_t next = sum + delta * stride;
            const int64_t rest = (next < 0 ? -next : next) % divisor_[depth + 1];
            if (std::min(rest, divisor_[depth + 1] - rest) >= element_bytes_) continue;
            const Overlap found = search(depth + 1, next, moved || delta != 0);
            if (found != Overlap::kNone) return found;
        }
        return Overlap::kNone;
    }

    std::span<const StridedDim> dims_;
    int64_t element_bytes_;
    int64_t steps_ = 0;
    int64_t reach_[kMaxDims + 1];    // [d]: how far the dims from d on can move the sum
    int64_t divisor_[kMaxDims + 1];  // [d]: their greatest common divisor; 0 when there are none
};

}  // namespace

Overlap self_overlap(std::span<const int64_t> sizes, std::span<const int64_t> strides_bytes,
                     int64_t element_bytes) noexcept {
    if (element_bytes == 0 || std::ranges::count(sizes, 0) != 0) return Overlap::kNone;
    StridedDim dims[kMaxDims];
    std::size_t rank = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] == 1) continue;
        if (strides_bytes[d] == 0) return Overlap::kSome;
        if (strides_bytes[d] < -kLargest) return Overlap::kUnknown;
        dims[rank++] = {sizes[d], strides_bytes[d] < 0 ? -strides_bytes[d] : strides_bytes[d]};
    }
    if (rank == 0) return Overlap::kNone;
    std::sort(dims, dims + rank,
              [](const StridedDim& a, const StridedDim& b) { return a.stride > b.stride; });

    bool nested = true;
    int64_t extent = element_bytes;  // of one position of the dims further out
    int64_t filled = element_bytes;  // what its elements take if none share a byte
    for (std::size_t d = rank; d-- > 0;) {
        nested = nested && extent < kLargest && dims[d].stride >= extent;
        extent = std::min(extent + capped_product(dims[d].size - 1, dims[d].stride), kLargest);
        filled = capped_product(filled, dims[d].size);
    }
    if (nested) return Overlap::kNone;
    if (filled > extent) return Overlap::kSome;
    if (extent == kLargest) return Overlap::kUnknown;

    // Dims that are one dim in steps are searched as one: fewer δ to pick.
    std::size_t merged = 0;
    for (std::size_t d = 1; d < rank; ++d) {
        if (dims[merged].stride == capped_product(dims[d].size, dims[d].stride)) {
            dims[merged] = {dims[merged].size * dims[d].size, dims[d].stride};
        } else {
            dims[++merged] = dims[d];
        }
    }
    return DifferenceSearch({dims, merged + 1}, element_bytes).run();
}

}  // namespace dmlindex
