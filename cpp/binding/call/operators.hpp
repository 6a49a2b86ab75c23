// What an operator is that is a function: everything in which one differs from another.
// operator_table.hpp has them.
#pragma once

#include <string_view>

#include "binding/python/signature.hpp"
#include "plan/layout.hpp"
#include "plan/plan.hpp"

namespace dmlindex::binding {

struct Operator {
    Signature signature;
    Direction direction;
    // Whether the last dim of indices holds coordinates.
    bool has_tuples;
    // The number that says where indices count along, in the operator's own terms: an axis, or how
    // many batch dims. Throws for one that is out of range.
    int (*position)(const char* op, std::int64_t given, const Layout& input, const Layout& indices);
    // The shape of what indices index: a gather's result, a scatter's updates.
    Layout (*shape)(const char* op, const Layout& input, const Layout& indices, int position);
    // items: a gather's result, a scatter's updates. table: a gather's input, a scatter's result.
    void (*lower)(const Layout& table, const Layout& indices, const Layout& items, int position,
                  Plan& plan);
    const char* documentation;

    constexpr const char* name() const noexcept { return signature.name(); }
    constexpr bool gathers() const noexcept { return direction == Direction::kGather; }
};

}  // namespace dmlindex::binding
