// What a CompiledOperator is made of: a valid descriptor, lowered once.
#pragma once

#include <cstddef>
#include <vector>

#include "dmlindex/compile.hpp"
#include "plan/layout.hpp"
#include "plan/plan.hpp"

namespace dmlindex {

// Where the tensors' elements lie, with all the dims that the descs have.
struct OperatorLayouts {
    Layout input;
    Layout indices;
    Layout updates;  // of rank 0 where the operator has none
    Layout output;
};

class LoweredOperator {
  public:
    // Throws as CompiledOperator does.
    LoweredOperator(OperatorDesc desc, CompileOptions options);

    // The plans point to the fill.
    LoweredOperator(const LoweredOperator&) = delete;
    LoweredOperator& operator=(const LoweredOperator&) = delete;

    const OperatorDesc& desc() const noexcept { return desc_; }
    OperatorType type() const noexcept { return operator_type(desc_); }
    Mode mode() const noexcept { return mode_; }
    bool scatters() const noexcept { return plan_.direction == Direction::kScatter; }
    const OperatorLayouts& layouts() const noexcept { return layouts_; }

    // For tensors that lie as their descs say. In place, a scatter's output is its input, so that
    // nothing is copied first; that takes the two to lie alike.
    const Plan& plan() const noexcept { return plan_; }
    const Plan& plan_in_place() const noexcept { return plan_in_place_; }

    // For tensors of the same sizes that lie as these layouts say. With Mode::kDirectml the table,
    // that is a gather's input or a scatter's output, has to lie as its desc says.
    void lower(const OperatorLayouts& layouts, bool in_place, Plan& plan) const;

  private:
    OperatorDesc desc_;
    OperatorLayouts layouts_;
    Mode mode_;
    std::vector<std::byte> fill_;
    Plan plan_;
    Plan plan_in_place_;  // set for scatters
};

}  // namespace dmlindex
