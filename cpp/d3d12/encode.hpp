// From a plan to the kernels that run it, and what is too large for them.
#pragma once

#include <array>
#include <functional>
#include <span>

#include "d3d12/choose.hpp"
#include "d3d12/queue.hpp"
#include "plan/plan.hpp"

namespace dmlindex::d3d12 {

struct Encoder {
    Queue& queue;
    bool typed_views;                             // whether typed kernels may be used
    std::function<Span(std::uint64_t)> allocate;  // scratch memory, until the plan is encoded
    std::function<Span(const void*, std::uint64_t)> upload;  // the same, with these bytes
};

using Parents = std::array<std::uint32_t, 4>;  // byte offsets of slots, or kNoSlot
inline constexpr std::size_t kMostSettled = kPatternBytes / sizeof(Parents);

// What a kernel does with the operator's error slot: notes bad indices in it, or else does nothing
// where it says that the operator has failed. offset kNoSlot: neither.
struct Slot {
    std::uint32_t offset = kNoSlot;
    bool notes = false;
};

// Throws Error(kDevice) that says why the device cannot run a plan.
void check_supported(const Plan& plan, const Tensors& tensors, bool typed_views);

// Whether an index of the plan can be an error.
bool may_fail(const Plan& plan) noexcept;
// Whether encode_moves reads every index where an offset tells its number, so that it can note bad
// ones by itself.
bool moves_can_note(const Plan& plan) noexcept;

// Queues a kernel that notes bad indices.
void encode_checks(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                   std::uint32_t slot);

// Queues a kernel that settles whether some operators have failed, by themselves or by a parent.
// parents: of at most kMostSettled operators with slots in a row.
void encode_settling(const Encoder& encoder, std::uint32_t first_slot,
                     std::span<const Parents> parents);

// The constants of encode_capture, for later: the indices' dims.
Constants capture_constants(const Plan& plan, std::uint32_t slot);
// Queues a kernel that keeps the value of the first bad index in the slot.
void encode_capture(const Encoder& encoder, const Constants& constants, const Span& indices);

// Queues the kernels that move.
void encode_moves(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                  const Slot& slot);

// Queues the fill of a span with a 32-bit word, rounded up to pieces of 16 bytes.
void encode_clear(const Encoder& encoder, const Span& span, std::uint32_t word);

// Queues a copy of bytes between spans of the pool; may write up to 15 bytes more, within the span.
void encode_copy(const Encoder& encoder, const Span& to, const Span& from, std::uint64_t bytes);

// For the kinds of moves. What every kernel of a plan needs to know of it:
Constants plan_constants(const Plan& plan, const Slot& slot);
// The same for the kernels of four.hlsli:
Constants four_constants(const Plan& plan, const Choice& choice, const Slot& slot);
// How many threads those have:
std::uint64_t four_threads(const Plan& plan, const Choice& choice) noexcept;
// How the places in the table that a scatter writes to are numbered:
void set_targets(const Plan& plan, const Tensors& tensors, Constants& constants);
// What they see the indices as:
View indices_view(const Plan& plan, const Tensors& tensors) noexcept;
// The tensors as the general kernels see them.
Views raw_views(const Tensors& tensors);

}  // namespace dmlindex::d3d12
