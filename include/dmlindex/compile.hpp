// A valid descriptor, compiled once, and run as often as you like.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "dmlindex/descs.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex {

struct CompileOptions {
    // What an index out of range does: kDirectml is exactly what DirectML computes. kRaise, which
    // names the first one, is the choice while developing.
    Mode mode = Mode::kDirectml;
    // The element that a gather with Mode::kSkip puts there; empty means zero bytes.
    std::vector<std::byte> fill{};
    FeatureLevel feature_level = FeatureLevel::k6_4;
};

// The first bytes of the tensors, which lie there as their descs say.
struct TensorData {
    const void* input = nullptr;
    const void* indices = nullptr;
    const void* updates = nullptr;  // only for scatters
    void* output = nullptr;
};

class CompiledOperator;
class LoweredOperator;

// Runs the operator on the CPU. Nothing, or with Mode::kRaise the first index out of range: then
// nothing is written. output overlaps no other tensor; but a scatter's may be its input, if the two
// have the same strides. Safe to call from many threads, each with an output of its own. Throws
// Error(kValue) for a pointer that is null.
[[nodiscard]] std::optional<BadIndex> run(const CompiledOperator& op, const TensorData& tensors);

// A copy is cheap: it shares what was compiled.
class CompiledOperator {
  public:
    // Throws Error(kDescriptor) that lists every broken rule, and Error(kValue) for a mode or a
    // fill that the operator does not have.
    explicit CompiledOperator(OperatorDesc desc, CompileOptions options = {});

    const OperatorDesc& desc() const noexcept;
    OperatorType type() const noexcept;
    Mode mode() const noexcept;
    bool scatters() const noexcept;

    [[nodiscard]] std::optional<BadIndex> run(const TensorData& tensors) const {
        return dmlindex::run(*this, tensors);
    }

  private:
    friend std::optional<BadIndex> run(const CompiledOperator& op, const TensorData& tensors);

    std::shared_ptr<const LoweredOperator> lowered_;
};

}  // namespace dmlindex
