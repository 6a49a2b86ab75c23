#include "cpu/run/packed.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/run/copy_source.hpp"
#include "cpu/run/few.hpp"
#include "cpu/run/transposed.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// Fewer positions take less time than it takes to see how to copy a table.
constexpr std::int64_t kFewReads = 512;

// What pays for a table's copy: that each of its slices is read so often and some of them follow
// each other then, as one; or that each is read very often, and kernels for packed tables may do
// it. A copy that turns columns into rows pays from so many bytes for each slice read on, as long
// as it is not so large that its memory is new each time.
constexpr std::int64_t kReads = 2;
constexpr std::int64_t kTransposedBytesARead = 3;
constexpr std::int64_t kMostTransposedBytes = std::int64_t{4} << 20;
constexpr std::int64_t kSlicesAsOne = 4;
constexpr std::int64_t kManyReads = 16;

// A call takes no more memory on top for either copy.
constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;

// The dim before which the coordinates' axes stand in the table: the first that moves in the
// indices alone.
int first_of_indices(const Plan& plan) noexcept {
    const Dim* const last = plan.dims + plan.rank;
    return static_cast<int>(std::find_if(plan.dims, last,
                                         [](const Dim& dim) {
                                             return dim.table_stride == 0 && dim.index_stride != 0;
                                         }) -
                            plan.dims);
}

// Calls visit(size, stride) for the table's axes, the innermost one first.
template <class AnyPlan, class Visit>
void each_axis(AnyPlan& plan, Visit visit) noexcept {
    int d = plan.rank;
    const auto dims_down_to = [&](int end) {
        while (d > end) {
            auto& dim = plan.dims[--d];
            if (dim.table_stride != 0) visit(dim.size, dim.table_stride);
        }
    };
    dims_down_to(first_of_indices(plan));
    for (int k = plan.coordinate_count - 1; k >= 0; --k)
        visit(plan.coordinates[k].limit, plan.coordinates[k].table_stride);
    dims_down_to(0);
}

// How many slices follow each other as one, in a packed table and in the items: along the dims
// behind the indices'.
std::int64_t slices_as_one(const Plan& plan) noexcept {
    std::int64_t slices = 1;
    const int first = first_of_indices(plan);
    for (int d = plan.rank - 1; d > first; --d) {
        const Dim& dim = plan.dims[d];
        if (dim.index_stride != 0 || dim.table_stride == 0 ||
            dim.item_stride != slices * plan.slice_bytes) {
            break;
        }
        slices *= dim.size;
    }
    return slices;
}

// Whether a gather reads its table so often that it is worth a copy, and it is not packed yet.
// Larger slices gain too little by lying together.
bool reads_often(const Plan& plan, std::int64_t positions) noexcept {
    if (positions < kFewReads || plan.direction != Direction::kGather ||
        plan.slice_bytes > kElementBytes) {
        return false;
    }
    std::int64_t columns = 0;
    std::int64_t slices = 1;
    bool is_packed = true;
    bool is_transposed = false;
    each_axis(plan, [&](std::int64_t size, std::int64_t stride) {
        if (size == 1) return;
        is_packed = is_packed && stride == slices * plan.slice_bytes;
        is_transposed |=
            std::abs(stride) == plan.slice_bytes && transposes(size, columns, plan.slice_bytes);
        if (columns == 0) columns = size;
        slices = size == 0 || size > kMostBytes / slices ? kMostBytes + 1 : slices * size;
    });
    if (is_packed || slices > kMostBytes / plan.slice_bytes) return false;
    if (slices_as_one(plan) < kSlicesAsOne) return slices <= positions / kManyReads;
    return slices <= positions / kReads ||
           (is_transposed && slices * plan.slice_bytes <=
                                 std::min(kMostTransposedBytes, kTransposedBytesARead * positions));
}

// Whether indices are worth a copy: many, or in many short rows, each of which has a line of memory
// to itself and few bytes to move. Kernels for packed ones then take less time than it takes to
// load them one by one; those of tuples no kernel takes so.
bool copies_indices(const Plan& plan) noexcept {
    constexpr std::int64_t kManyIndices = 4096;
    constexpr std::int64_t kManyRows = 64;
    constexpr std::int64_t kShortRow = 32;
    if (plan.coordinate_count > 1 || plan.slice_bytes > kCacheLineBytes) return false;
    std::int64_t count = 1;
    Dim innermost{1, 0, 0, 0};
    for (int d = 0; d < plan.rank; ++d) {
        const Dim& dim = plan.dims[d];
        if (dim.index_stride == 0) continue;
        count *= dim.size;
        innermost = dim;
    }
    const bool are_many = count >= kManyIndices ||
                          (innermost.size <= kShortRow && count >= kManyRows * innermost.size);
    return are_many && count <= kMostBytes / index_bytes(plan.index_type) &&
           std::abs(innermost.index_stride) >= kCacheLineBytes;
}

// A packed copy of what lies along some axes, in pieces of so many bytes.
class PackedCopy {
  public:
    explicit PackedCopy(std::int64_t piece_bytes) noexcept : bytes_(piece_bytes) {
        begin_plan(Direction::kScatter, IndexType::kInt64, piece_bytes, copy_);
        copy_.copies_source = true;
    }

    // The innermost axis first. Its stride becomes the copy's.
    void add(std::int64_t size, std::int64_t& stride) noexcept {
        copy_.copy_dims[copy_.copy_rank++] = {size, bytes_, stride};
        stride = bytes_;
        bytes_ *= size;
    }

    // Null where there is no memory.
    std::unique_ptr<std::byte[]> of(const std::byte* source) {
        std::unique_ptr<std::byte[]> own(new (std::nothrow)
                                             std::byte[static_cast<std::size_t>(bytes_)]);
        if (own != nullptr) {
            canonicalize(copy_);
            copy_source(copy_, {own.get(), nullptr, nullptr, source});
        }
        return own;
    }

  private:
    Plan copy_;
    std::int64_t bytes_;
};

// False where there is no memory.
bool pack_table(Packed& packed) {
    PackedCopy copy(packed.plan.slice_bytes);
    each_axis(packed.plan,
              [&](std::int64_t size, std::int64_t& stride) { copy.add(size, stride); });
    packed.table = copy.of(packed.buffers.table);
    packed.buffers.table = packed.table.get();
    return packed.table != nullptr;
}

bool pack_indices(Packed& packed) {
    Plan& plan = packed.plan;
    PackedCopy copy(index_bytes(plan.index_type));
    for (int d = plan.rank - 1; d >= 0; --d) {
        if (plan.dims[d].index_stride != 0) copy.add(plan.dims[d].size, plan.dims[d].index_stride);
    }
    packed.indices = copy.of(packed.buffers.indices + plan.coordinates[0].index_offset);
    packed.buffers.indices = packed.indices.get();
    plan.coordinates[0].index_offset = 0;
    return packed.indices != nullptr;
}

}  // namespace

std::optional<Packed> pack(const Plan& plan, const Buffers& buffers) {
    const std::int64_t positions = position_count(plan);
    if (positions < kSomePositions || plan.slice_bytes == 0) return std::nullopt;
    const bool packs_table = reads_often(plan, positions);
    const bool packs_indices = copies_indices(plan);
    if (!packs_table && !packs_indices) return std::nullopt;
    std::optional<Packed> packed(std::in_place, plan, buffers);
    if (packs_table && !pack_table(*packed)) return std::nullopt;
    if (packs_indices && !pack_indices(*packed)) return std::nullopt;
    canonicalize(packed->plan);
    return packed;
}

}  // namespace dmlindex::cpu
