// GATHER_ND, GATHER_ND1: output[b…, q…, s…] = input[b…, indices[b…, q…, :], s…], with batch_dims
// dims b….
#include <algorithm>

#include "operators/shape_rules.hpp"

namespace dmlindex {

int check_some_batch_dims(const char* op, std::int64_t batch_dims, const Layout& input,
                          const Layout& indices) {
    const int most = std::min(input.rank, indices.rank) - 1;
    if (batch_dims < 0 || batch_dims > most) {
        fail_value(op, "batch_dims is " + std::to_string(batch_dims) + ", expected 0 to " +
                           std::to_string(std::max(most, 0)) +
                           ": less than the ranks of input, shape " + to_string(input) +
                           ", and indices, shape " + to_string(indices));
    }
    return static_cast<int>(batch_dims);
}

Layout gather_nd_shape(const char* op, const Layout& input, const Layout& indices, int batch_dims) {
    check_batch_dims(op, batch_dims, input, indices);
    Layout shape = nd_items_shape(op, input, indices, batch_dims);
    for (int d = 0; d < batch_dims; ++d) {
        if (input.sizes[d] != indices.sizes[d]) {
            fail_value(op, "indices has batch size " + std::to_string(indices.sizes[d]) +
                               " in dim " + std::to_string(d) + ", expected input's " +
                               std::to_string(input.sizes[d]) +
                               " (batch_dims=" + std::to_string(batch_dims) + ")");
        }
    }
    return shape;
}

void lower_gather_nd(const Layout& input, const Layout& indices, const Layout& output,
                     int batch_dims, Plan& plan) {
    lower_nd(input, indices, output, batch_dims, plan);
}

}  // namespace dmlindex
