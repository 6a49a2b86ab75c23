// NEON, on 64-bit Arm: two 64-bit lanes.
#include <arm_neon.h>

#include "cpu/kernels/shuffle.hpp"
#include "cpu/kernels/vector_kernels.hpp"
#include "cpu/kernels/vector_updates.hpp"

namespace dmlindex::cpu {
namespace {

struct Neon {
    static constexpr int kLanes = 2;
    static constexpr std::size_t kLaneBytes = 8;
    int64x2_t lanes;

    static Neon splat(std::int64_t value) noexcept { return {vdupq_n_s64(value)}; }
    static Neon counting(std::int64_t step) noexcept { return pair(0, step); }
    static Neon pair(std::int64_t first, std::int64_t second) noexcept {
        return {vcombine_s64(vdup_n_s64(first), vdup_n_s64(second))};
    }

    template <class Index>
    static Neon load(const std::byte* from) noexcept {
        if constexpr (sizeof(Index) == 8) {
            return {vreinterpretq_s64_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(from)))};
        } else {
            return load_strided<Index>(from, sizeof(Index));
        }
    }

    template <class Index>
    static Neon load_strided(const std::byte* from, std::int64_t stride) noexcept {
        Index first;
        Index second;
        std::memcpy(&first, from, sizeof first);
        std::memcpy(&second, from + stride, sizeof second);
        return pair(static_cast<std::int64_t>(first), static_cast<std::int64_t>(second));
    }

    static constexpr std::int64_t kWideBytes = 32;
    static void copy_wide(std::byte* to, const std::byte* from) noexcept {
        const auto* source = reinterpret_cast<const std::uint8_t*>(from);
        const uint8x16_t low = vld1q_u8(source);
        const uint8x16_t high = vld1q_u8(source + 16);
        vst1q_u8(reinterpret_cast<std::uint8_t*>(to), low);
        vst1q_u8(reinterpret_cast<std::uint8_t*>(to) + 16, high);
    }
    // There is no intrinsic for a non-temporal store, and compilers have none in common.
    static void stream_line(std::byte* to, const std::byte* from) noexcept {
        for (int at = 0; at < kCacheLineBytes; at += 32) copy_wide(to + at, from + at);
    }
    static void fence() noexcept {}

    void store(std::int64_t* to) const noexcept { vst1q_s64(to, lanes); }

    template <std::int64_t kBytes>
    void store_narrow(std::byte* to) const noexcept {
        std::int64_t values[kLanes];
        store(values);
        for (int i = 0; i < kLanes; ++i) std::memcpy(to + i * kBytes, values + i, kBytes);
    }
};

inline Neon operator+(Neon a, Neon b) noexcept { return {vaddq_s64(a.lanes, b.lanes)}; }
inline Neon operator-(Neon a, Neon b) noexcept { return {vsubq_s64(a.lanes, b.lanes)}; }
inline Neon operator&(Neon a, Neon b) noexcept { return {vandq_s64(a.lanes, b.lanes)}; }
inline Neon operator|(Neon a, Neon b) noexcept { return {vorrq_s64(a.lanes, b.lanes)}; }
inline Neon equal(Neon a, Neon b) noexcept {
    return {vreinterpretq_s64_u64(vceqq_s64(a.lanes, b.lanes))};
}
inline Neon multiply_low(Neon a, Neon b) noexcept {
    const uint32x2_t low_a = vmovn_u64(vreinterpretq_u64_s64(a.lanes));
    const uint32x2_t low_b = vmovn_u64(vreinterpretq_u64_s64(b.lanes));
    return {vreinterpretq_s64_u64(vmull_u32(low_a, low_b))};
}
inline Neon multiply_signed(Neon a, Neon b) noexcept {
    return {vmull_s32(vmovn_s64(a.lanes), vmovn_s64(b.lanes))};
}
inline Neon negative(Neon v) noexcept { return {vshrq_n_s64(v.lanes, 63)}; }
inline bool any_negative(Neon v) noexcept {
    return (vgetq_lane_s64(v.lanes, 0) | vgetq_lane_s64(v.lanes, 1)) < 0;
}
inline Neon select_negative(Neon mask, Neon a, Neon b) noexcept {
    return {vbslq_s64(vreinterpretq_u64_s64(negative(mask).lanes), a.lanes, b.lanes)};
}
inline Neon clamp(Neon v, Neon low, Neon high) noexcept {
    const int64x2_t from_below = vbslq_s64(vcgtq_s64(low.lanes, v.lanes), low.lanes, v.lanes);
    return {vbslq_s64(vcgtq_s64(from_below, high.lanes), high.lanes, from_below)};
}

struct NeonBytes {
    static constexpr std::int64_t kSize = 16;
    uint8x16_t bytes;

    static NeonBytes load(const std::byte* from) noexcept {
        return {vld1q_u8(reinterpret_cast<const std::uint8_t*>(from))};
    }
    void store(std::byte* to) const noexcept {
        vst1q_u8(reinterpret_cast<std::uint8_t*>(to), bytes);
    }
    NeonBytes pick(NeonBytes control) const noexcept { return {vqtbl1q_u8(bytes, control.bytes)}; }
    NeonBytes pick_or_zero(NeonBytes control) const noexcept { return pick(control); }
    NeonBytes operator|(NeonBytes other) const noexcept { return {vorrq_u8(bytes, other.bytes)}; }
};

}  // namespace

void add_neon_kernels(Kernels& kernels) noexcept {
    add_vector_kernels<Neon>(kernels);
    add_moves<Neon>(kernels);
    add_look_ups<Neon>(kernels);
    add_updates<Neon>(kernels);
    add_shuffle<NeonBytes>(kernels);
}

}  // namespace dmlindex::cpu
