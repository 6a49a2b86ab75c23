// From a plan to the kernels that run it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>

#include "d3d12/encode/arguments.hpp"
#include "d3d12/encode/limits.hpp"
#include "d3d12/queue/recorder.hpp"
#include "plan/plan.hpp"

namespace dmlindex::d3d12 {

// Where a scatter notes who has won (winners.hlsli). What is there is at most base.
struct Winners {
    Span span;
    std::uint32_t base = 0;

    explicit operator bool() const noexcept { return static_cast<bool>(span); }
};

struct Encoder {
    Recorder& queue;
    bool typed_views;     // whether typed kernels may be used
    std::int64_t texels;  // of a view, at most
    const Profile& profile;
    bool has_short_loops;                         // Reach
    AtomicAdds adds;                              // the same
    std::function<Span(std::uint64_t)> allocate;  // scratch memory, until the plan is encoded
    std::function<Span(const void*, std::uint64_t)> upload;  // the same, with these bytes
    std::function<Span()> texture;  // of kTextureElements words, for one table at a time
    // For so many targets, with room above base for so many positions; or none, and the scatter has
    // to clear memory of its own. Once an operator: the next may get others, or these, cleared at
    // once.
    std::function<Winners(std::uint64_t targets, std::uint64_t positions)> winners;

    Reach reach() const noexcept { return {typed_views, texels, profile, has_short_loops, adds}; }
};

using Parents = std::array<std::uint32_t, 4>;  // byte offsets of slots, or kNoSlot
inline constexpr Parents kNoParents{kNoSlot, kNoSlot, kNoSlot, kNoSlot};
inline constexpr std::size_t kMostSettled = kPatternBytes / sizeof(Parents);

// Whether encode_moves reads every index where an offset tells its number, so that it can note bad
// ones by itself.
bool moves_can_note(const Plan& plan) noexcept;
// Whether each group that encode_moves then queues reads all indices, and can hold back what it
// writes where one is bad (kSlotHolds).
bool moves_can_hold(const Plan& plan, const Choice& choice) noexcept;

// Queues a kernel that notes bad indices.
void encode_checks(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                   std::uint32_t slot);

// Queues a kernel that settles which operators have failed because a parent has.
// parents: of at most kMostSettled operators with slots in a row.
void encode_settling(const Encoder& encoder, std::uint32_t first_slot,
                     std::span<const Parents> parents);

// Queues a kernel that keeps the value of the first bad index in the slot.
void encode_capture(const Encoder& encoder, const Capture& capture, const Span& indices);

// A sum of complex numbers as one of their parts, which are floats; nothing for other plans.
std::optional<Plan> sum_of_parts(const Plan& plan) noexcept;

// Queues a kernel that resolves the indices of mode wrap, where they are many: what is left to move
// then has places as indices. Nothing for other plans.
std::optional<Section> encode_wrapped(const Encoder& encoder, const Plan& plan,
                                      const Tensors& tensors);

// Queues the kernels that move. choice: of the plan.
void encode_moves(const Encoder& encoder, const Plan& plan, const Choice& choice,
                  const Tensors& tensors, const Slot& slot);

// The same, section by section; after_each is called when one is encoded.
void encode_sections(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                     const std::vector<Section>& sections, const Slot& slot,
                     const std::function<void()>& after_each);

// Queues the fill of a span with a 32-bit word, rounded up to pieces of 16 bytes.
void encode_clear(const Encoder& encoder, const Span& span, std::uint32_t word);

// Queues a copy of bytes between spans of the pool; may write up to 15 bytes more, within the span.
void encode_copy(const Encoder& encoder, const Span& to, const Span& from, std::uint64_t bytes);

}  // namespace dmlindex::d3d12
