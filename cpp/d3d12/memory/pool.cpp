#include "d3d12/memory/pool.hpp"

#include <algorithm>
#include <iterator>

#include "d3d12/memory/rounding.hpp"

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

void Pool::keep_node() {
    nodes_.reserve(++node_count_);
    Holes one{{0, 0}};
    nodes_.push_back(one.extract(one.begin()));
}

Span Pool::allocate(std::uint64_t bytes) {
    allocations_.next();
    if (nodes_.size() <= part_count_) keep_node();
    const std::uint64_t wanted = std::max(kAlignment, round_up(bytes, kAlignment));
    for (const auto& chunk : chunks_) {
        for (auto hole = chunk->free.begin(); hole != chunk->free.end(); ++hole) {
            auto [offset, room] = *hole;
            if (room < wanted) continue;
            auto node = chunk->free.extract(hole);
            if (room > wanted) {
                node.key() = offset + wanted;
                node.mapped() = room - wanted;
                chunk->free.insert(std::move(node));
            } else {
                nodes_.push_back(std::move(node));
            }
            used_bytes_ += wanted;
            ++part_count_;
            return {chunk.get(), offset, wanted};
        }
    }
    std::unique_ptr<Chunk> chunk =
        make_chunk(device_, D3D12_HEAP_TYPE_DEFAULT, std::max(wanted, kChunkBytes));
    if (chunk->bytes > wanted) {
        nodes_.reserve(++node_count_);
        chunk->free.emplace(wanted, chunk->bytes - wanted);
    }
    chunks_.push_back(std::move(chunk));
    used_bytes_ += wanted;
    ++part_count_;
    return {chunks_.back().get(), 0, wanted};
}

void Pool::release(const Span& span) noexcept {
    if (!span) return;
    used_bytes_ -= span.bytes;
    --part_count_;
    auto& free = span.chunk->free;
    auto node = std::move(nodes_.back());
    nodes_.pop_back();
    node.key() = span.offset;
    node.mapped() = span.bytes;
    auto hole = free.insert(std::move(node)).position;
    auto next = std::next(hole);
    if (next != free.end() && hole->first + hole->second == next->first) {
        hole->second += next->second;
        nodes_.push_back(free.extract(next));
    }
    if (hole != free.begin()) {
        auto previous = std::prev(hole);
        if (previous->first + previous->second == hole->first) {
            previous->second += hole->second;
            nodes_.push_back(free.extract(hole));
        }
    }
}

void Pool::trim(const std::function<bool(const Chunk&)>& keeps) {
    std::erase_if(chunks_, [&](const std::unique_ptr<Chunk>& chunk) {
        auto hole = chunk->free.begin();
        return hole != chunk->free.end() && hole->second == chunk->bytes && !keeps(*chunk);
    });
}

}  // namespace dmlindex::d3d12
