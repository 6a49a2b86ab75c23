// The compiled kernels of a device, and how their arguments are bound.
//
// Raw kernels read and write every buffer as a root UAV: simple, and right on every implementation.
// Typed kernels move 16 bytes at a time through typed views in descriptor tables: one access where
// vkd3d makes four of a raw one, but wine's own D3D12 computes wrong results with tables, so a
// device tests itself when it is opened.
#pragma once

#include <array>

#include "d3d12/api.hpp"
#include "d3d12/generated/kernels.h"
#include "d3d12/loader.hpp"

namespace dmlindex::d3d12 {

// Root parameters of the raw kernels; the UAVs are registers u0 to u5.
enum RawRoot {
    kRawConstants,
    kRawTable,
    kRawItems,
    kRawIndices,
    kRawSlots,
    kRawScratch,
    kRawExtra,
    kRawCount
};

// Root parameters of the typed kernels: tables t0, t1 and u0, root UAVs u3 and u4.
enum TypedRoot {
    kTypedConstants,
    kTypedRead,
    kTypedIndices,
    kTypedWritten,
    kTypedSlots,
    kTypedScratch,
    kTypedCount
};

class Pipelines {
  public:
    Pipelines(const Library& library, ID3D12Device* device);

    ID3D12RootSignature* root_signature(bool typed) const noexcept {
        return (typed ? typed_root_ : raw_root_).get();
    }
    // Made at its first use.
    ID3D12PipelineState* state(Kernel kernel);

  private:
    ID3D12Device* device_;
    ComPtr<ID3D12RootSignature> raw_root_;
    ComPtr<ID3D12RootSignature> typed_root_;
    std::array<ComPtr<ID3D12PipelineState>, kKernelCount> states_;
};

}  // namespace dmlindex::d3d12
