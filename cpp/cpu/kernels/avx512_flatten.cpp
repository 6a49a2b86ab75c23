// AVX-512: tuples of indices, 16 at a time, to the places that they name.

#include "cpu/kernels/avx512_tables.hpp"

namespace dmlindex::cpu {
namespace {

// The k-th word of each of 16 tuples of kCount, which lie in as many registers.
template <int kCount>
class PickWords {
  public:
    explicit PickWords(int k) noexcept
        : from_(_mm512_add_epi32(_mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8,
                                                                     7, 6, 5, 4, 3, 2, 1, 0),
                                                    _mm512_set1_epi32(kCount)),
                                 _mm512_set1_epi32(k))),
          from_later_(_mm512_cmpge_epi32_mask(from_, _mm512_set1_epi32(2 * Avx512Words::kLanes))) {}

    __m512i operator()(const __m512i (&words)[kCount]) const noexcept {
        const __m512i first = _mm512_permutex2var_epi32(words[0], from_, words[1]);
        if constexpr (kCount == 3) {
            return _mm512_mask_permutexvar_epi32(first, from_later_, from_, words[2]);
        } else if constexpr (kCount == 4) {
            return _mm512_mask_blend_epi32(from_later_, first,
                                           _mm512_permutex2var_epi32(words[2], from_, words[3]));
        } else {
            return first;
        }
    }

  private:
    __m512i from_;
    __mmask16 from_later_;
};

template <class Index, Mode kMode, int kCount, int... k>
std::int64_t flatten_tuples(const IndexRun& run, std::uint32_t* places,
                            std::integer_sequence<int, k...>) noexcept {
    constexpr std::int64_t kStepBytes = kLookUpStep * static_cast<std::int64_t>(sizeof(Index));
    const std::byte* const indices = run.indices;
    const Coordinate* const axes = run.coordinates;
    const PickWords<kCount> pick[]{PickWords<kCount>(k)...};
    const Avx512Words limits[]{Avx512Words::splat(axes[k].limit)...};
    const Avx512Words lasts[]{Avx512Words::splat(axes[k].limit - 1)...};
    const Avx512Words strides[]{Avx512Words::splat(axes[k].table_stride)...};
    const std::int64_t ahead = ahead_bytes(run);
    return each_step(run.count, [&](std::int64_t i) {
        const std::byte* const from =
            indices + i * kCount * static_cast<std::int64_t>(sizeof(Index));
        fetch_ahead(from, kCount * kStepBytes, ahead);
        const __m512i words[]{indices_at<Avx512Words, Index>(from + k * kStepBytes).lanes...};
        Avx512Words outside[kCount]{(static_cast<void>(k), Avx512Words::splat(0))...};
        const Avx512Words parts[]{Avx512Words{
            _mm512_mullo_epi32(place<Avx512Words, Index, kMode>(Avx512Words{pick[k](words)},
                                                                limits[k], lasts[k], outside[k])
                                   .lanes,
                               strides[k].lanes)}...};
        _mm512_storeu_si512(places + i, (parts[k] + ...).lanes);
        return !any_negative((outside[k] | ...));
    });
}

template <class Index, Mode kMode>
std::int64_t flatten(const IndexRun& run, std::uint32_t* places) noexcept {
    const auto as = [&]<int kCount>() {
        return flatten_tuples<Index, kMode, kCount>(run, places,
                                                    std::make_integer_sequence<int, kCount>());
    };
    switch (run.coordinate_count) {
        case 2:
            return as.template operator()<2>();
        case 3:
            return as.template operator()<3>();
        case 4:
            return as.template operator()<4>();
        default:
            return 0;
    }
}

}  // namespace

void add_avx512_flatten(Kernels& kernels) noexcept {
    for_each_index_type_and_mode([&]<class Index, Mode kMode>(int type, int mode) {
        kernels.flatten[type][mode] = flatten<Index, look_up_mode(kMode)>;
    });
}

}  // namespace dmlindex::cpu
