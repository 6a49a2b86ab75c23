// Gathers and scatters of single elements by tuples of indices: these become single ones first, the
// places that they name in a packed table.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/backend.hpp"
#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

// The kernels for a plan's tuples. Without flatten there are none: the plan has no tuples, or the
// ISA nothing quicker for them than to resolve them.
struct TupleKernels {
    FlattenKernel flatten = nullptr;
    LookUpKernel look_up = nullptr;  // this or an update takes the places, as the direction is
    const UpdateKernel* updates = nullptr;  // by index type
};

FlattenKernel flatten_for(const Plan& plan) noexcept;

// reached: as many bytes of the table as indices reach.
TupleKernels tuple_kernels_for(const Plan& plan, std::int64_t reached) noexcept;

// Tuples of some coordinates, whose strides are whole elements.
class Tuples {
  public:
    Tuples(const TupleKernels& kernels, const Coordinate* coordinates, int count,
           std::int64_t element_bytes) noexcept;

    // How tuples are flattened: a run's coordinates.
    const Coordinate* axes() const noexcept { return axes_.data(); }

    // Moves elements by the places of so many tuples; far: they are asked for.
    void move(const std::uint32_t* places, std::int64_t count, std::byte* table, std::byte* items,
              bool far) const noexcept;

    // Flattens and moves a run's, as an UpdateKernel does.
    std::int64_t move_run(const IndexRun& run, std::byte* table, std::byte* items,
                          bool far) const noexcept;

  private:
    TupleKernels kernels_;
    std::int64_t element_bytes_;
    std::array<Coordinate, kMostFlattened> axes_;
    Coordinate all_;  // the table's places, as one axis
};

// Of fewer tuples, to resolve them takes as long: pairs are loaded as such.
constexpr std::int64_t least_tuples(int coordinates) noexcept {
    return coordinates == 2 ? 512 : 96;
}

// Whether a plan of one row may have its tuples flattened, by what is seen at once.
inline bool may_flatten_few(const Plan& plan) noexcept {
    return plan.coordinate_count > 1 && plan.coordinate_count <= kMostFlattened && plan.rank == 1 &&
           plan.reduction == Reduction::kNone &&
           plan.dims[0].size >= least_tuples(plan.coordinate_count);
}

// Moves the first tuples of such a row, of at most kBlockPositions, and returns how many: under
// Mode::kRaise all of them or none. copies: whether a scatter's source is still to be copied, which
// is done unless it moves none.
[[gnu::noinline]] std::int64_t run_few_tuples(const Plan& plan, const Buffers& buffers, bool copies,
                                              bool far);

}  // namespace dmlindex::cpu
