#include "d3d12/staging.hpp"

namespace dmlindex::d3d12 {

Staging::Staging(ID3D12Device* device, Queue& queue, D3D12_HEAP_TYPE heap)
    : queue_(queue), chunk_(make_chunk(device, heap, kSegments * kSegmentBytes)) {
    void* mapped = nullptr;
    check(chunk_->resource->Map(0, nullptr, &mapped), "mapping a staging buffer");
    mapped_ = static_cast<std::byte*>(mapped);
}

Staging::Piece Staging::take(std::uint64_t bytes) {
    if (used_ + bytes > kSegmentBytes) {
        segment_ = (segment_ + 1) % kSegments;
        used_ = 0;
        queue_.wait(values_[segment_]);
    }
    values_[segment_] = queue_.value_of_next_command();
    const std::uint64_t offset = segment_ * kSegmentBytes + used_;
    used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return {{chunk_.get(), offset, bytes}, mapped_ + offset};
}

}  // namespace dmlindex::d3d12
