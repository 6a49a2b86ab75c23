// Rows that take their items from the same places each, put together by byte shuffles.
//
// Bytes holds kSize bytes and has load(from), store(to), |, and two ways to take bytes through a
// control: pick(control) takes the one that each control byte counts, pick_or_zero(control) zero
// where it is kNoByte.
#pragma once

#include <cstdint>

#include "cpu/kernels/kernels.hpp"

namespace dmlindex::cpu {

template <class Bytes, int kLoads>
void shuffle_groups(const Shuffle& shuffle, std::int64_t groups, const std::byte* table,
                    std::int64_t table_stride, std::byte* items) noexcept {
    const std::int64_t last = shuffle.item_bytes - Bytes::kSize;
    const std::int32_t* const all_from = shuffle.from;
    const std::byte* const all_controls = shuffle.controls;
    for (std::int64_t g = 0; g < groups; ++g) {
        const std::int32_t* from = all_from;
        const std::byte* control = all_controls;
        const auto write_piece = [&](std::int64_t at) {
            const auto taken = [&](int load) { return Bytes::load(table + from[load]); };
            const auto by = [&](int load) { return Bytes::load(control + load * Bytes::kSize); };
            if constexpr (kLoads == 1) {
                taken(0).pick(by(0)).store(items + at);
            } else {
                Bytes piece = taken(0).pick_or_zero(by(0));
#pragma GCC unroll 8
                for (int load = 1; load < kLoads; ++load)
                    piece = piece | taken(load).pick_or_zero(by(load));
                piece.store(items + at);
            }
            from += kLoads;
            control += kLoads * Bytes::kSize;
        };
        for (std::int64_t at = 0; at < last; at += Bytes::kSize) write_piece(at);
        write_piece(last);
        table += table_stride;
        items += last + Bytes::kSize;
    }
}

// The ShuffleKernel.
template <class Bytes>
void shuffle(const Shuffle& shuffle, std::int64_t groups, const std::byte* table,
             std::int64_t table_stride, std::byte* items) noexcept {
    static_assert(Shuffle::kMostLoads == 4);
    constexpr ShuffleKernel kByLoads[] = {shuffle_groups<Bytes, 1>, shuffle_groups<Bytes, 2>,
                                          shuffle_groups<Bytes, 3>, shuffle_groups<Bytes, 4>};
    kByLoads[shuffle.loads - 1](shuffle, groups, table, table_stride, items);
}

template <class Bytes>
void add_shuffle(Kernels& kernels) noexcept {
    kernels.shuffle = shuffle<Bytes>;
    kernels.shuffle_bytes = Bytes::kSize;
}

}  // namespace dmlindex::cpu
