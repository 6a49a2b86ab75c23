#include "dmlindex/compile.hpp"

#include <string>
#include <utility>

#include "cpu/backend.hpp"
#include "operators/descriptors/lowered.hpp"

namespace dmlindex {
namespace {

void require(const LoweredOperator& op, const char* tensor, const void* data) {
    if (data != nullptr) return;
    throw Error(ErrorKind::kValue, std::string(name(op.type())) + ": " + tensor +
                                       " is a null pointer, expected the first byte of the tensor");
}

}  // namespace

CompiledOperator::CompiledOperator(OperatorDesc desc, CompileOptions options)
    : lowered_(std::make_shared<const LoweredOperator>(std::move(desc), std::move(options))) {}

const OperatorDesc& CompiledOperator::desc() const noexcept { return lowered_->desc(); }
OperatorType CompiledOperator::type() const noexcept { return lowered_->type(); }
Mode CompiledOperator::mode() const noexcept { return lowered_->mode(); }
bool CompiledOperator::scatters() const noexcept { return lowered_->scatters(); }

std::optional<BadIndex> run(const CompiledOperator& compiled, const TensorData& tensors) {
    const LoweredOperator& op = *compiled.lowered_;
    require(op, "input", tensors.input);
    require(op, "indices", tensors.indices);
    if (op.scatters()) require(op, "updates", tensors.updates);
    require(op, "output", tensors.output);
    const auto read_only = [](const void* data) { return static_cast<const std::byte*>(data); };
    // The backend has one kind of pointer for what it reads in a gather and writes in a scatter.
    const auto bytes = [&](const void* data) { return const_cast<std::byte*>(read_only(data)); };
    auto* const output = static_cast<std::byte*>(tensors.output);
    const std::byte* const indices = read_only(tensors.indices);
    if (!op.scatters()) {
        return cpu::run(op.plan(), {bytes(tensors.input), output, indices, nullptr},
                        cpu::OnFailure::kUntouched);
    }
    const bool in_place = tensors.input == tensors.output;
    return cpu::run(
        in_place ? op.plan_in_place() : op.plan(),
        {output, bytes(tensors.updates), indices, in_place ? nullptr : read_only(tensors.input)},
        cpu::OnFailure::kUntouched);
}

}  // namespace dmlindex
