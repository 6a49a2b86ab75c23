// What a CompiledOperator does when it is called: a descriptor that was lowered once, and its
// tensors as Python's callers give them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "binding/call/invocation.hpp"
#include "binding/call/operand.hpp"
#include "operators/descriptors/lowered.hpp"

namespace dmlindex::binding {

class BoundOperator {
  public:
    // device is null for the CPU. check_indices: what every call passes its indices to before
    // anything is done, so that it may raise; or None.
    BoundOperator(py::object desc, py::object mode, OperatorDesc core_desc, CompileOptions options,
                  std::shared_ptr<d3d12::Device> device, py::object check_indices);

    const py::object& desc() const noexcept { return desc_; }
    const py::object& mode() const noexcept { return mode_; }
    const LoweredOperator& lowered() const noexcept { return lowered_; }
    const std::shared_ptr<d3d12::Device>& device() const noexcept { return device_; }
    const char* name() const noexcept { return name_.c_str(); }

    const Operand& input() const noexcept { return *input_; }
    const Operand& indices() const noexcept { return *indices_; }
    const Operand* updates() const noexcept { return updates_ ? &*updates_ : nullptr; }
    const Operand& output() const noexcept { return *output_; }
    // Whether the last dim of indices holds the coordinates.
    bool has_tuples() const noexcept { return has_tuples_; }
    // Whether input and output have the same strides, so that a scatter can be in place.
    bool lies_alike() const noexcept { return lies_alike_; }

    PyObject* call(PyObject* const* args, Py_ssize_t count, PyObject* keyword_names) const;

    // The plan of a call that read_invocation made.
    const Plan& plan_of(const Invocation& call, const Layout& output, bool in_place,
                        Plan& room) const;

  private:
    Arguments read_arguments(PyObject* const* args, Py_ssize_t count,
                             PyObject* keyword_names) const;
    bool are_ready(const Arguments& given) const noexcept;
    const Plan* ready_plan(const Arguments& given) const noexcept;
    void run_ready(const Plan& plan, const Arguments& given, std::byte* output,
                   cpu::OnFailure on_failure) const;
    PyObject* call_converting(const Arguments& given) const;
    void look_at(const Operand& operand, PyObject* object, py::object array, Tensor& tensor) const;
    void read_invocation(const Arguments& given, Invocation& call) const;

    py::object desc_;
    py::object mode_;
    py::object check_indices_;  // null where there is none
    LoweredOperator lowered_;
    std::shared_ptr<d3d12::Device> device_;
    std::string name_;
    std::optional<Operand> input_;
    std::optional<Operand> indices_;
    std::optional<Operand> updates_;
    std::optional<Operand> output_;
    cpu::Prepared prepared_;  // of either plan: how much a scatter copies is no part of it
    bool has_tuples_;
    bool lies_alike_;
};

}  // namespace dmlindex::binding
