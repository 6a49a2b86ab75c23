#include "d3d12/memory/pool.hpp"

#include <algorithm>
#include <iterator>

namespace dmlindex::d3d12 {

std::unique_ptr<Chunk> make_chunk(ID3D12Device* device, D3D12_HEAP_TYPE heap, std::uint64_t bytes) {
    D3D12_HEAP_PROPERTIES properties{};
    properties.Type = heap;
    D3D12_RESOURCE_DESC desc{};
    desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
    desc.Width = bytes;
    desc.Height = 1;
    desc.DepthOrArraySize = 1;
    desc.MipLevels = 1;
    desc.SampleDesc.Count = 1;
    desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
    D3D12_RESOURCE_STATES state = D3D12_RESOURCE_STATE_COMMON;
    switch (heap) {
        case D3D12_HEAP_TYPE_UPLOAD:
            state = D3D12_RESOURCE_STATE_GENERIC_READ;
            break;
        case D3D12_HEAP_TYPE_READBACK:
            state = D3D12_RESOURCE_STATE_COPY_DEST;
            break;
        default:
            desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    }
    auto chunk = std::make_unique<Chunk>();
    check(device->CreateCommittedResource(&properties, D3D12_HEAP_FLAG_NONE, &desc, state, nullptr,
                                          uuidof<ID3D12Resource>(), chunk->resource.put_void()),
          "creating a buffer");
    chunk->address = chunk->resource->GetGPUVirtualAddress();
    chunk->bytes = bytes;
    chunk->state = state;
    chunk->keeps_state = heap != D3D12_HEAP_TYPE_DEFAULT;
    return chunk;
}

Span Pool::allocate(std::uint64_t bytes) {
    allocations_.next();
    const std::uint64_t wanted =
        std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    for (const auto& chunk : chunks_) {
        for (auto hole = chunk->free.begin(); hole != chunk->free.end(); ++hole) {
            auto [offset, room] = *hole;
            if (room < wanted) continue;
            chunk->free.erase(hole);
            if (room > wanted) chunk->free.emplace(offset + wanted, room - wanted);
            used_bytes_ += wanted;
            return {chunk.get(), offset, wanted};
        }
    }
    std::unique_ptr<Chunk> chunk =
        make_chunk(device_, D3D12_HEAP_TYPE_DEFAULT, std::max(wanted, kChunkBytes));
    if (chunk->bytes > wanted) chunk->free.emplace(wanted, chunk->bytes - wanted);
    chunks_.push_back(std::move(chunk));
    used_bytes_ += wanted;
    return {chunks_.back().get(), 0, wanted};
}

void Pool::release(const Span& span) {
    used_bytes_ -= span.bytes;
    auto& free = span.chunk->free;
    auto hole = free.emplace(span.offset, span.bytes).first;
    auto next = std::next(hole);
    if (next != free.end() && hole->first + hole->second == next->first) {
        hole->second += next->second;
        free.erase(next);
    }
    if (hole != free.begin()) {
        auto previous = std::prev(hole);
        if (previous->first + previous->second == hole->first) {
            previous->second += hole->second;
            free.erase(hole);
        }
    }
}

void Pool::trim() {
    std::erase_if(chunks_, [](const std::unique_ptr<Chunk>& chunk) {
        auto hole = chunk->free.begin();
        return hole != chunk->free.end() && hole->second == chunk->bytes;
    });
}

}  // namespace dmlindex::d3d12
