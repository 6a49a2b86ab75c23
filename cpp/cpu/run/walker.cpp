#include "cpu/run/walker.hpp"

#include <algorithm>

namespace dmlindex::cpu {

PositionWalker::PositionWalker(const Dim* dims, int rank, std::int64_t first_position) noexcept
    : dims_(dims), row_rank_(rank > 0 ? rank - 1 : 0) {
    if (rank > 0) run_ = dims[rank - 1];
    if (first_position == 0) {  // as nearly always: without divisions
        std::fill_n(counter_, row_rank_, 0);
        return;
    }
    if (rank > 0) {
        along_ = first_position % run_.size;
        first_position /= run_.size;
    }
    for (int d = row_rank_ - 1; d >= 0; --d) {
        counter_[d] = first_position % dims[d].size;
        first_position /= dims[d].size;
        row_.table_stride += counter_[d] * dims[d].table_stride;
        row_.item_stride += counter_[d] * dims[d].item_stride;
        row_.index_stride += counter_[d] * dims[d].index_stride;
    }
}

void PositionWalker::advance(std::int64_t count) noexcept {
    along_ += count;
    if (along_ < run_.size) return;
    along_ = 0;
    for (int d = row_rank_ - 1; d >= 0; --d) {
        const Dim& dim = dims_[d];
        row_.table_stride += dim.table_stride;
        row_.item_stride += dim.item_stride;
        row_.index_stride += dim.index_stride;
        if (++counter_[d] < dim.size) return;
        counter_[d] = 0;
        row_.table_stride -= dim.size * dim.table_stride;
        row_.item_stride -= dim.size * dim.item_stride;
        row_.index_stride -= dim.size * dim.index_stride;
    }
    at_end_ = true;
}

}  // namespace dmlindex::cpu
