// What the operators' functions differ in; one entry point serves all gathers, and one all
// scatters.
#pragma once

#include "binding/arguments.hpp"
#include "plan/layout.hpp"
#include "plan/plan.hpp"

namespace dmlindex::binding {

// A gather: the name of its third argument, its shape rule and its lowering.
struct GatherOperator {
    Signature signature;
    bool has_axis;  // else batch_dims, and tuples in indices' last dim
    Layout (*shape)(const char*, const Layout&, const Layout&, int);
    void (*lower)(const Layout&, const Layout&, const Layout&, int, Plan&);
};

struct ScatterOperator {
    Signature signature;
    bool has_axis;
    Layout (*updates_shape)(const char*, const Layout&, const Layout&, int);
    void (*lower)(const Layout&, const Layout&, const Layout&, int, Plan&);
};

}  // namespace dmlindex::binding
