// The constants of one dispatch: shaders/constants.hlsli declares the same struct and says what
// they mean.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dmlindex::d3d12 {

inline constexpr int kMaxDeviceDims = 8;      // dims and coordinates a plan may have here
inline constexpr std::uint32_t kGroup = 128;  // threads in a group
inline constexpr std::uint32_t kNoSlot = 0xffffffff;
inline constexpr std::uint32_t kSlotBytes = 16;
inline constexpr std::uint32_t kSlotCount = 4096;                     // for operators
inline constexpr std::uint32_t kSpareSlot = kSlotCount * kSlotBytes;  // for kernels of one operator
inline constexpr std::size_t kPatternBytes = 256;

struct DimConstants {
    std::uint32_t size;
    std::uint32_t table_stride;
    std::uint32_t item_stride;
    std::uint32_t index_stride;
};

struct CoordinateConstants {
    std::uint32_t limit;
    std::uint32_t table_stride;
    std::uint32_t index_offset;
    std::uint32_t unused;
};

struct Constants {
    std::uint32_t thread_count;
    std::uint32_t groups_x;
    std::uint32_t slot;
    std::uint32_t mode;
    std::uint32_t index_bytes;
    std::uint32_t index_signed;
    std::uint32_t rank;
    std::uint32_t coordinate_count;
    std::uint32_t slice_units;
    std::uint32_t pattern_units;
    std::uint32_t target_bytes;
    std::uint32_t target_count;
    std::uint32_t arguments[4];
    std::uint32_t notes;
    std::uint32_t slice_shift;
    std::uint32_t stripe_lines;
    std::uint32_t index_repeats;
    DimConstants dims[kMaxDeviceDims];
    CoordinateConstants coordinates[kMaxDeviceDims];
    std::byte pattern[kPatternBytes];
};

static_assert(sizeof(Constants) == 80 + 2 * 16 * kMaxDeviceDims + kPatternBytes);

}  // namespace dmlindex::d3d12
