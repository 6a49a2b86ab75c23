// What the operators' files share: messages that name operator and argument, and appending of dims.
#pragma once

#include <string>

#include "dmlindex/error.hpp"
#include "operators/operators.hpp"

namespace dmlindex {

[[noreturn]] inline void fail_value(const char* op, const std::string& what) {
    throw Error(ErrorKind::kValue, std::string(op) + ": " + what);
}

std::string to_string(const Layout& layout);  // "(3, 4)"

// Error(kValue): the result would have more than kMaxDims.
[[noreturn]] void refuse_rank(const char* op);

// Appends input's sizes [first, last) to the shape; Error(kValue) past kMaxDims.
inline void append_sizes(const char* op, const Layout& from, int first, int last, Layout& shape) {
    if (shape.rank + (last - first) > kMaxDims) refuse_rank(op);
    for (int d = first; d < last; ++d) shape.sizes[shape.rank++] = from.sizes[d];
}

inline void append_dim(Plan& plan, const Dim& dim) { plan.dims[plan.rank++] = dim; }

inline void append_index_dims(Plan& plan, const Layout& indices, int count) {
    for (int d = 0; d < count; ++d) {
        plan.index_dims[plan.index_rank++] = {indices.sizes[d], indices.strides[d]};
    }
}

inline void append_coordinate(Plan& plan, const Layout& table, int axis,
                              std::int64_t index_offset) {
    plan.coordinates[plan.coordinate_count++] = {table.sizes[axis], table.strides[axis],
                                                 index_offset, axis};
}

// The dims of GATHER_ELEMENTS and SCATTER_ELEMENTS, which differ in the direction alone.
void lower_elements(const Layout& table, const Layout& indices, const Layout& items, int axis,
                    Plan& plan);

// The dims of GATHER_ND(1) and SCATTER_ND, which has no batch dims.
void lower_nd(const Layout& table, const Layout& indices, const Layout& items, int batch_dims,
              Plan& plan);

// What the *_elements operators index: indices' sizes, of input's rank and no larger than input off
// the axis.
Layout elements_items_shape(const char* op, const Layout& input, const Layout& indices, int axis);

// What the *_nd operators index: indices' sizes less the tuple, then the input's behind the tuple's
// axes.
Layout nd_items_shape(const char* op, const Layout& input, const Layout& indices, int batch_dims);

}  // namespace dmlindex
