#include "d3d12/memory/views.hpp"

#include <algorithm>
#include <utility>

#include "d3d12/memory/rounding.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::uint32_t kPlaces = 4096;  // a power of two

// A getter that returns a struct: compilers disagree on how, so the vtable is called by hand.
template <typename Handle>
Handle heap_start(ID3D12DescriptorHeap* heap, int slot) {
#ifdef DMLINDEX_D3D12_WSL
    using Getter = Handle (*)(void*);
    return (*reinterpret_cast<Getter**>(heap))[slot](heap);
#else
    using Getter = Handle*(WINAPI*)(void*, Handle*);
    Handle handle{};
    (*reinterpret_cast<Getter**>(heap))[slot](heap, &handle);
    return handle;
#endif
}

constexpr int kCpuHeapStartSlot = 9;
constexpr int kGpuHeapStartSlot = 10;

DXGI_FORMAT dxgi_format(Format format) noexcept {
    switch (format) {
        case Format::kRaw:
            return DXGI_FORMAT_R32_TYPELESS;
        case Format::kR8:
            return DXGI_FORMAT_R8_UINT;
        case Format::kR16:
            return DXGI_FORMAT_R16_UINT;
        case Format::kR32:
            return DXGI_FORMAT_R32_UINT;
        case Format::kFloat32:
            return DXGI_FORMAT_R32_FLOAT;
        case Format::kHalves:
            return DXGI_FORMAT_R16G16_FLOAT;
        case Format::kRg32:
            return DXGI_FORMAT_R32G32_UINT;
        case Format::kRgba32:
            break;
    }
    return DXGI_FORMAT_R32G32B32A32_UINT;
}

}  // namespace

std::uint64_t texel_bytes(Format format) noexcept {
    switch (format) {
        case Format::kR8:
            return 1;
        case Format::kR16:
            return 2;
        case Format::kRg32:
            return 8;
        case Format::kRgba32:
            return 16;
        default:
            return 4;
    }
}

std::unique_ptr<Chunk> make_texture(ID3D12Device* device, Format format, std::int64_t width,
                                    std::int64_t height) {
    D3D12_HEAP_PROPERTIES heap{};
    heap.Type = D3D12_HEAP_TYPE_DEFAULT;
    D3D12_RESOURCE_DESC desc{};
    desc.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D;
    desc.Width = static_cast<UINT64>(width);
    desc.Height = static_cast<UINT>(height);
    desc.DepthOrArraySize = 1;
    desc.MipLevels = 1;
    desc.Format = dxgi_format(format);
    desc.SampleDesc.Count = 1;
    desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    auto chunk = std::make_unique<Chunk>();
    chunk->bytes = static_cast<std::uint64_t>(width * height) * texel_bytes(format);
    chunk->is_texture = true;
    chunk->state = D3D12_RESOURCE_STATE_UNORDERED_ACCESS;
    check(device->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc, chunk->state, nullptr,
                                          uuidof<ID3D12Resource>(), chunk->resource.put_void()),
          "creating a texture");
    return chunk;
}

// The first place with the key's hash.
std::uint32_t& ViewRing::first(const Key& key) noexcept {
    std::size_t hash = reinterpret_cast<std::size_t>(key.chunk);
    for (std::uint64_t word :
         {key.offset, key.bytes,
          std::uint64_t{static_cast<unsigned>(key.format)} << 1 | std::uint64_t{key.writable}}) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return firsts_[hash % firsts_.size()];
}

std::uint32_t ViewRing::place_of(const Key& key) noexcept {
    std::uint32_t place = first(key);
    while (place != kNone && places_[place].key != key) place = places_[place].next;
    return place;
}

void ViewRing::forget(std::uint32_t place) noexcept {
    std::uint32_t* at = &first(places_[place].key);
    while (*at != place) at = &places_[*at].next;
    *at = places_[place].next;
    places_[place].key = {};
}

ViewRing::ViewRing(ID3D12Device* device)
    : device_(device), places_(kPlaces), firsts_(kPlaces, kNone) {
    D3D12_DESCRIPTOR_HEAP_DESC desc{};
    desc.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
    desc.NumDescriptors = kPlaces;
    desc.Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
    check(device->CreateDescriptorHeap(&desc, uuidof<ID3D12DescriptorHeap>(), heap_.put_void()),
          "creating a descriptor heap");
    cpu_start_ = heap_start<D3D12_CPU_DESCRIPTOR_HANDLE>(heap_.get(), kCpuHeapStartSlot);
    gpu_start_ = heap_start<D3D12_GPU_DESCRIPTOR_HANDLE>(heap_.get(), kGpuHeapStartSlot);
    view_bytes_ = device->GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
}

bool ViewRing::find(const View& view, bool writable, std::uint64_t value, std::uint64_t completed,
                    D3D12_GPU_DESCRIPTOR_HANDLE& handle) {
    const Key key{view.span.chunk, view.span.offset, view.span.bytes, view.format, writable};
    std::uint32_t found = place_of(key);
    if (found == kNone) {
        // What this list uses stays; a list has fewer views than the ring has places.
        while (places_[next_].value == value) next_ = (next_ + 1) % kPlaces;
        Place& place = places_[next_];
        if (place.value > completed) return false;
        if (place.key.chunk != nullptr) forget(next_);
        make(key, {cpu_start_.ptr + next_ * view_bytes_});
        found = next_;
        place.key = key;
        place.next = std::exchange(first(key), found);
        next_ = (next_ + 1) % kPlaces;
    }
    places_[found].value = value;
    handle.ptr = gpu_start_.ptr + found * view_bytes_;
    return true;
}

void ViewRing::clear() {
    std::fill(firsts_.begin(), firsts_.end(), kNone);
    for (Place& place : places_) place.key = {};
}

void ViewRing::make(const Key& key, D3D12_CPU_DESCRIPTOR_HANDLE place) const {
    const std::uint64_t each = texel_bytes(key.format);
    const UINT64 first = key.offset / each;
    // Rounded up to whole pieces of 16 bytes: a tensor may use the rest of its last 256 bytes.
    const std::uint64_t bytes = round_up(std::max<std::uint64_t>(key.bytes, 1), kPieceBytes);
    const auto count = static_cast<UINT>(bytes / each);
    const bool raw = key.format == Format::kRaw;
    ID3D12Resource* const resource = key.chunk->resource.get();
    const bool is_texture = key.chunk->is_texture;
    if (key.writable) {
        D3D12_UNORDERED_ACCESS_VIEW_DESC desc{};
        desc.Format = dxgi_format(key.format);
        desc.ViewDimension =
            is_texture ? D3D12_UAV_DIMENSION_TEXTURE2D : D3D12_UAV_DIMENSION_BUFFER;
        if (!is_texture) {
            desc.Buffer.FirstElement = first;
            desc.Buffer.NumElements = count;
            desc.Buffer.Flags = raw ? D3D12_BUFFER_UAV_FLAG_RAW : D3D12_BUFFER_UAV_FLAG_NONE;
        }
        device_->CreateUnorderedAccessView(resource, nullptr, &desc, place);
    } else {
        D3D12_SHADER_RESOURCE_VIEW_DESC desc{};
        desc.Format = dxgi_format(key.format);
        desc.ViewDimension =
            is_texture ? D3D12_SRV_DIMENSION_TEXTURE2D : D3D12_SRV_DIMENSION_BUFFER;
        desc.Shader4ComponentMapping = D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING;
        if (is_texture) {
            desc.Texture2D.MipLevels = 1;
        } else {
            desc.Buffer.FirstElement = first;
            desc.Buffer.NumElements = count;
            desc.Buffer.Flags = raw ? D3D12_BUFFER_SRV_FLAG_RAW : D3D12_BUFFER_SRV_FLAG_NONE;
        }
        device_->CreateShaderResourceView(resource, &desc, place);
    }
}

}  // namespace dmlindex::d3d12
