#include "d3d12/pipeline.hpp"

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

Pipelines::Pipelines(const Library& library, ID3D12Device* device) : device_(device) {
    D3D12_ROOT_PARAMETER raw[kRawCount];
    raw[kRawConstants] = root_buffer(D3D12_ROOT_PARAMETER_TYPE_CBV, 0);
    for (UINT i = kRawTable; i < kRawCount; ++i) {
        raw[i] = root_buffer(D3D12_ROOT_PARAMETER_TYPE_UAV, i - kRawTable);
    }
    raw_root_ = make_root(library, device, raw);

    const D3D12_DESCRIPTOR_RANGE read = one_view(D3D12_DESCRIPTOR_RANGE_TYPE_SRV, 0);
    const D3D12_DESCRIPTOR_RANGE indices = one_view(D3D12_DESCRIPTOR_RANGE_TYPE_SRV, 1);
    const D3D12_DESCRIPTOR_RANGE written = one_view(D3D12_DESCRIPTOR_RANGE_TYPE_UAV, 0);
    D3D12_ROOT_PARAMETER typed[kTypedCount];
    typed[kTypedConstants] = root_buffer(D3D12_ROOT_PARAMETER_TYPE_CBV, 0);
    typed[kTypedRead] = table_of(read);
    typed[kTypedIndices] = table_of(indices);
    typed[kTypedWritten] = table_of(written);
    typed[kTypedSlots] = root_buffer(D3D12_ROOT_PARAMETER_TYPE_UAV, 3);
    typed[kTypedScratch] = root_buffer(D3D12_ROOT_PARAMETER_TYPE_UAV, 4);
    typed_root_ = make_root(library, device, typed);
}

ID3D12PipelineState* Pipelines::state(Kernel kernel) {
    const auto index = static_cast<std::size_t>(kernel);
    if (!states_[index]) {
        const KernelCode& code = kKernelCodes[index];
        D3D12_COMPUTE_PIPELINE_STATE_DESC desc{};
        desc.pRootSignature = root_signature(code.typed);
        desc.CS = {code.dxbc, code.bytes};
        const std::string what = std::string("creating the pipeline ") + code.name;
        check(device_->CreateComputePipelineState(&desc, uuidof<ID3D12PipelineState>(),
                                                  states_[index].put_void()),
              what.c_str());
    }
    return states_[index].get();
}

}  // namespace dmlindex::d3d12
