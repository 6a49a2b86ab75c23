// What kernels are told: their constants, and the views of their tensors.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "d3d12/encode/choose.hpp"
#include "d3d12/memory/views.hpp"
#include "d3d12/shaders/constants.hpp"
#include "plan/plan.hpp"

namespace dmlindex::d3d12 {

// What a kernel does with the operator's error slot: kSlotSkips, kSlotNotes or kSlotHolds
// (shared.h). offset kNoSlot: nothing.
struct Slot {
    std::uint32_t offset = kNoSlot;
    std::uint32_t use = kSlotSkips;
};

inline std::uint32_t narrow(std::int64_t value) { return static_cast<std::uint32_t>(value); }

// What every kernel of a plan needs to know of it. table_unit: the bytes that strides in the table
// are counted in (of a linear plan they are elements).
Constants plan_constants(const Plan& plan, const Slot& slot, std::int64_t table_unit = 1);
// The same for the kernels of any.hlsli. element_bytes: what places in the table are counted in.
Constants any_constants(const Plan& plan, std::int64_t element_bytes, const Slot& slot);
// The same for the kernels of four.hlsli:
Constants four_constants(const Plan& plan, const Choice& choice, const Slot& slot);
// How many threads those have:
std::uint64_t four_threads(const Plan& plan, const Choice& choice) noexcept;
// The constants of check_indices: the indices' dims.
Constants check_constants(const Plan& plan, std::uint32_t slot);

// What encode_capture takes, which many operators keep: where each index lies.
struct Capture {
    std::uint32_t slot;
    std::uint32_t index_bytes;
    std::uint32_t index_signed;
    std::uint32_t coordinate_count;
    std::uint32_t rank;
    std::array<std::uint32_t, kMaxDeviceDims> offsets;  // of a tuple's numbers
    std::array<std::uint32_t, kMaxDeviceDims> sizes;
    std::array<std::uint32_t, kMaxDeviceDims> strides;
};
Capture capture_of(const Plan& plan, std::uint32_t slot);
Constants constants_of(const Capture& capture);

// How the places in the table that a scatter writes to are numbered.
void set_targets(const Plan& plan, const Tensors& tensors, Constants& constants);
// How many units a slice has.
void set_slice(std::int64_t units, Constants& constants);
// What units are filled with; it repeats itself after period_bytes.
void set_pattern(const Plan& plan, std::int64_t unit, Constants& constants);
std::int64_t period_bytes(const Plan& plan, std::int64_t unit);

// VALUES of a reduction's kernels.
std::int64_t kernel_values(ValueType type) noexcept;
// Whether a reduction is that of integers for which there are atomics: the result is the same in
// any order.
bool has_atomics(const Plan& plan) noexcept;
// What changes no element of up to 4 bytes that it is combined with.
std::uint32_t unchanging_element(const Plan& plan) noexcept;
// What the kernels of a reduction are told of its values.
void set_values(const Plan& plan, Constants& constants);

// The indices' dims with neighbours merged: a position's number stays the same.
std::vector<IndexDim> merged_index_dims(const Plan& plan);

// The tensors as the general kernels see them.
Views raw_views(const Tensors& tensors);
// What the kernels of four.hlsli see the indices as.
View indices_view(const Plan& plan, const Tensors& tensors) noexcept;
// Those that any.hlsli takes together, with the constants that any_constants makes.
View any_indices(const Constants& any, const Tensors& tensors) noexcept;
// An element as a texel.
Format element_format(std::int64_t bytes) noexcept;
// Four elements as a texel, or two of 8 bytes.
Format four_format(std::int64_t bytes) noexcept;

}  // namespace dmlindex::d3d12
