// The compiled kernels of a device, and how their arguments are bound.
//
// Tables: every buffer is a view in a descriptor table. Those are cheap to bind, and a typed view
// moves 16 bytes in one access where vkd3d makes four of a raw one. Root: every buffer is a raw
// root UAV; simple, and right on every implementation, but then the typed kernels are not there.
// wine's own D3D12 computes wrong results with tables, so a device tests itself when it is opened.
#pragma once

#include <array>
#include <bitset>
#include <utility>

#include "d3d12/host/api.hpp"
#include "d3d12/host/loader.hpp"
#include "d3d12/memory/allocations.hpp"
#include "d3d12/memory/views.hpp"
#include "d3d12/shaders/kernels.hpp"

namespace dmlindex::d3d12 {

enum class Binding : std::uint8_t { kRoot, kTables };

// Root parameters. Only tables have the read registers.
inline constexpr UINT kConstantsParameter = 0;
inline constexpr UINT kWrittenParameter = 1;
inline constexpr UINT kReadParameter = kWrittenParameter + kWrittenRegisters;
inline constexpr std::size_t kParameters = kReadParameter + kReadRegisters;

class Pipelines {
  public:
    Pipelines(const Library& library, ID3D12Device* device, Allocations& allocations);

    ID3D12RootSignature* root_signature(Binding binding) const noexcept {
        return roots_[static_cast<std::size_t>(binding)].get();
    }
    // Made at its first use. Throws Error(kMemory) or Error(kDevice).
    ID3D12PipelineState* state(Kernel kernel, Binding binding);
    // The kernels dispatched since the last call, so that tests can see which ones a plan gets.
    void note_use(Kernel kernel) noexcept { used_[static_cast<std::size_t>(kernel)] = true; }
    std::bitset<kKernelCount> take_used() noexcept { return std::exchange(used_, {}); }

  private:
    ID3D12Device* device_;
    Allocations& allocations_;
    std::array<ComPtr<ID3D12RootSignature>, 2> roots_;
    std::array<std::array<ComPtr<ID3D12PipelineState>, kKernelCount>, 2> states_;
    std::bitset<kKernelCount> used_;
};

}  // namespace dmlindex::d3d12
