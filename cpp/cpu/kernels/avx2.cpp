// AVX2's kernels.
#include <immintrin.h>

#include "cpu/kernels/avx2_vectors.hpp"
#include "cpu/kernels/shuffle.hpp"
#include "cpu/kernels/vector_kernels.hpp"
#include "cpu/kernels/vector_updates.hpp"

namespace dmlindex::cpu {
namespace {

struct Avx2Bytes {
    static constexpr std::int64_t kSize = 16;
    __m128i bytes;

    static Avx2Bytes load(const std::byte* from) noexcept {
        return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))};
    }
    void store(std::byte* to) const noexcept {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
    }
    Avx2Bytes pick(Avx2Bytes control) const noexcept {
        return {_mm_shuffle_epi8(bytes, control.bytes)};
    }
    Avx2Bytes pick_or_zero(Avx2Bytes control) const noexcept { return pick(control); }
    Avx2Bytes operator|(Avx2Bytes other) const noexcept {
        return {_mm_or_si128(bytes, other.bytes)};
    }
};

}  // namespace

void add_avx2_kernels(Kernels& kernels) noexcept {
    add_vector_kernels<Avx2>(kernels);
    add_moves<Avx2>(kernels);
    add_look_ups<Avx2>(kernels);
    add_updates<Avx2>(kernels);
    add_shuffle<Avx2Bytes>(kernels);
    add_avx2_reductions(kernels);
    add_avx2_flatten(kernels);
}

}  // namespace dmlindex::cpu
