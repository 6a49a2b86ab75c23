#include "d3d12/queue/pipeline.hpp"

#include <span>
#include <string>

namespace dmlindex::d3d12 {
namespace {

D3D12_ROOT_PARAMETER root_buffer(D3D12_ROOT_PARAMETER_TYPE type, UINT shader_register) {
    D3D12_ROOT_PARAMETER parameter{};
    parameter.ParameterType = type;
    parameter.Descriptor.ShaderRegister = shader_register;
    parameter.ShaderVisibility = D3D12_SHADER_VISIBILITY_ALL;
    return parameter;
}

D3D12_ROOT_PARAMETER table_of(const D3D12_DESCRIPTOR_RANGE& range) {
    D3D12_ROOT_PARAMETER parameter{};
    parameter.ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
    parameter.DescriptorTable.NumDescriptorRanges = 1;
    parameter.DescriptorTable.pDescriptorRanges = &range;
    parameter.ShaderVisibility = D3D12_SHADER_VISIBILITY_ALL;
    return parameter;
}

D3D12_DESCRIPTOR_RANGE one_view(D3D12_DESCRIPTOR_RANGE_TYPE type, UINT shader_register) {
    D3D12_DESCRIPTOR_RANGE range{};
    range.RangeType = type;
    range.NumDescriptors = 1;
    range.BaseShaderRegister = shader_register;
    return range;
}

ComPtr<ID3D12RootSignature> make_root(const Library& library, ID3D12Device* device,
                                      std::span<const D3D12_ROOT_PARAMETER> parameters) {
    D3D12_ROOT_SIGNATURE_DESC desc{};
    desc.NumParameters = static_cast<UINT>(parameters.size());
    desc.pParameters = parameters.data();
    ComPtr<ID3DBlob> blob = library.serialize(desc);
    ComPtr<ID3D12RootSignature> root;
    check(device->CreateRootSignature(0, blob->GetBufferPointer(), blob->GetBufferSize(),
                                      uuidof<ID3D12RootSignature>(), root.put_void()),
          "creating a root signature");
    return root;
}

}  // namespace

Pipelines::Pipelines(const Library& library, ID3D12Device* device, Allocations& allocations)
    : device_(device), allocations_(allocations) {
    std::array<D3D12_ROOT_PARAMETER, kParameters> root;
    std::array<D3D12_ROOT_PARAMETER, kParameters> tables;
    std::array<D3D12_DESCRIPTOR_RANGE, kParameters> ranges;
    root[kConstantsParameter] = tables[kConstantsParameter] =
        root_buffer(D3D12_ROOT_PARAMETER_TYPE_CBV, 0);
    for (UINT i = 0; i < kWrittenRegisters; ++i) {
        const UINT at = kWrittenParameter + i;
        root[at] = root_buffer(D3D12_ROOT_PARAMETER_TYPE_UAV, i);
        ranges[at] = one_view(D3D12_DESCRIPTOR_RANGE_TYPE_UAV, i);
        tables[at] = table_of(ranges[at]);
    }
    for (UINT i = 0; i < kReadRegisters; ++i) {
        const UINT at = kReadParameter + i;
        ranges[at] = one_view(D3D12_DESCRIPTOR_RANGE_TYPE_SRV, i);
        tables[at] = table_of(ranges[at]);
    }
    roots_[static_cast<std::size_t>(Binding::kRoot)] =
        make_root(library, device, std::span(root).first(kReadParameter));
    roots_[static_cast<std::size_t>(Binding::kTables)] = make_root(library, device, tables);
}

ID3D12PipelineState* Pipelines::state(Kernel kernel, Binding binding) {
    const auto index = static_cast<std::size_t>(kernel);
    ComPtr<ID3D12PipelineState>& made = states_[static_cast<std::size_t>(binding)][index];
    if (!made) {
        allocations_.next();
        const KernelCode& code = code_of(kernel);
        D3D12_COMPUTE_PIPELINE_STATE_DESC desc{};
        desc.pRootSignature = root_signature(binding);
        desc.CS = {code.dxbc, code.bytes};
        const std::string what = std::string("creating the pipeline ") + code.name;
        check(device_->CreateComputePipelineState(&desc, uuidof<ID3D12PipelineState>(),
                                                  made.put_void()),
              what.c_str());
    }
    return made.get();
}

}  // namespace dmlindex::d3d12
