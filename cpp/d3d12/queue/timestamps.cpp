#include "d3d12/queue/timestamps.hpp"

#include <string>

#include "dmlindex/error.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr UINT kMost = 1024;

}  // namespace

std::uint64_t Queue::timestamp_frequency() const {
    UINT64 frequency = 0;
    check(queue_->GetTimestampFrequency(&frequency), "asking for the timestamps' frequency");
    return frequency;
}

Timestamps::Timestamps(ID3D12Device* device, Queue& queue)
    : queue_(queue),
      results_(make_chunk(device, D3D12_HEAP_TYPE_READBACK, kMost * sizeof(std::uint64_t))) {
    D3D12_QUERY_HEAP_DESC desc{};
    desc.Type = D3D12_QUERY_HEAP_TYPE_TIMESTAMP;
    desc.Count = kMost;
    check(device->CreateQueryHeap(&desc, uuidof<ID3D12QueryHeap>(), queries_.put_void()),
          "creating a query heap");
    void* mapped = nullptr;
    check(results_->resource->Map(0, nullptr, &mapped), "mapping the timestamps");
    mapped_ = static_cast<const std::uint64_t*>(mapped);
}

void Timestamps::mark() {
    if (count_ == kMost) {
        throw Error(ErrorKind::kValue, "d3d12: more than " + std::to_string(kMost) +
                                           " timestamps; take those that are there first");
    }
    queue_.recording()->EndQuery(queries_.get(), D3D12_QUERY_TYPE_TIMESTAMP, count_++);
}

std::vector<double> Timestamps::take() {
    if (count_ == 0) return {};
    queue_.recording()->ResolveQueryData(queries_.get(), D3D12_QUERY_TYPE_TIMESTAMP, 0, count_,
                                         results_->resource.get(), 0);
    queue_.wait(queue_.pending_value());
    const double nanoseconds = 1e9 / static_cast<double>(queue_.timestamp_frequency());
    std::vector<double> times;
    for (UINT i = 0; i < count_; ++i) {
        times.push_back(static_cast<double>(mapped_[i]) * nanoseconds);
    }
    count_ = 0;
    return times;
}

}  // namespace dmlindex::d3d12
