// From a plan to the kernels that run it, and what is too large for them.
#pragma once

#include <array>
#include <functional>

#include "d3d12/queue.hpp"
#include "plan/plan.hpp"

namespace dmlindex::d3d12 {

// The tensors of a plan; bytes is what the tensor has, which may be less than the pool gave it.
struct Tensors {
    Span table;
    Span items;
    Span indices;
    Span source;
};

struct Encoder {
    Queue& queue;
    bool typed_views;                             // whether typed kernels may be used
    std::function<Span(std::uint64_t)> allocate;  // scratch memory, until the plan is encoded
    std::function<Span(const void*, std::uint64_t)> upload;  // the same, with these bytes
};

using Parents = std::array<std::uint32_t, 4>;  // byte offsets of slots, or kNoSlot

// Throws Error(kDevice) that says why the device cannot run a plan.
void check_supported(const Plan& plan, const Tensors& tensors, bool typed_views);

// Whether an index of the plan can be an error.
bool may_fail(const Plan& plan) noexcept;

// Queues the kernels that settle the slot: whether the operator fails, by itself or by a parent.
void encode_checks(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                   std::uint32_t slot, const Parents& parents);

// Queues the kernels that move. slot is kNoSlot if the operator cannot fail.
void encode_moves(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                  std::uint32_t slot);

// Queues the fill of a span with a 32-bit word, rounded up to whole words.
void encode_clear(const Encoder& encoder, const Span& span, std::uint32_t word);

// Queues a copy of bytes between spans of the pool; may write up to 15 bytes more, within the span.
void encode_copy(const Encoder& encoder, const Span& to, const Span& from, std::uint64_t bytes);

// For the kinds of moves. What every kernel of a plan needs to know of it:
Constants plan_constants(const Plan& plan, std::uint32_t slot);
// How the places in the table that a scatter writes to are numbered:
void set_targets(const Plan& plan, const Tensors& tensors, Constants& constants);
std::int64_t position_count(const Plan& plan) noexcept;

}  // namespace dmlindex::d3d12
