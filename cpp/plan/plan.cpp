#include "plan/plan.hpp"

namespace dmlindex {

void begin_plan(Direction direction, IndexType index_type, std::int64_t element_bytes,
                Plan& plan) noexcept {
    plan.direction = direction;
    plan.index_type = index_type;
    plan.mode = Mode::kRaise;
    plan.reduction = Reduction::kNone;
    plan.value_type = ValueType::kUint8;
    plan.unique_indices = false;
    plan.any_order = false;
    plan.copies_source = false;
    plan.is_linear = false;
    plan.element_bytes = element_bytes;
    plan.slice_bytes = element_bytes;
    plan.copy_bytes = element_bytes;
    plan.fill = nullptr;
    plan.byte_table = nullptr;
    plan.rank = 0;
    plan.coordinate_count = 0;
    plan.copy_rank = 0;
    plan.index_rank = 0;
}

}  // namespace dmlindex
