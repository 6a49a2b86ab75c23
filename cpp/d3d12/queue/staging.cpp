#include "d3d12/queue/staging.hpp"

#include <algorithm>
#include <cstring>

#include "d3d12/memory/rounding.hpp"
#include "parallel/parallel.hpp"

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
    used_ += round_up(bytes, kAlignment);
    return {{chunk_.get(), offset, bytes}, mapped_ + offset};
}

void copy_bytes(std::byte* to, const std::byte* from, std::uint64_t bytes) {
    const auto parts =
        static_cast<std::uint64_t>(threads_for(static_cast<std::int64_t>(2 * bytes)));
    const std::uint64_t each = round_up(bytes / parts, kAlignment);
    parallel_for(static_cast<std::int64_t>(parts), [&](std::int64_t part) {
        const std::uint64_t begin = std::min(bytes, static_cast<std::uint64_t>(part) * each);
        // The last part takes what rounding left over.
        const bool is_last = static_cast<std::uint64_t>(part) + 1 == parts;
        const std::uint64_t end = is_last ? bytes : std::min(bytes, begin + each);
        std::memcpy(to + begin, from + begin, end - begin);
    });
}

}  // namespace dmlindex::d3d12
