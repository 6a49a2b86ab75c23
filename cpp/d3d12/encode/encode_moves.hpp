// The kinds of moves that encode_moves queues, a file each.
#pragma once

#include "d3d12/encode/encode.hpp"

namespace dmlindex::d3d12 {

void encode_gather(const Encoder& encoder, const Plan& plan, const Choice& choice,
                   const Tensors& tensors, const Slot& slot);
// The threads of its kernel, but for those of gather_table.hlsl and gather_bytes.hlsl.
std::uint64_t move_threads(const Plan& plan, const Choice& choice) noexcept;
// A gather or scatter with move_rows.hlsl. winners: who may write, if that is to be asked.
void encode_rows(const Encoder& encoder, const Plan& plan, const Choice& choice,
                 const Tensors& tensors, Constants constants, const Winners& winners);
// The same of slices of any number of bytes, with gather_bytes.hlsl and scatter_bytes.hlsl.
void encode_gather_bytes(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                         const Slot& slot);
void encode_scatter_bytes(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                          Constants constants, const Winners& winners);
// A scatter by target, and its copy.
void encode_scatter_slices(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                           Constants constants, const Winners& winners);
// The copy that a scatter begins with. nans: where it notes whether there is a NaN of 16 bits;
// returns whether it does.
bool encode_source_copy(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                        const Slot& slot, const Winners& nans = {});
// A scatter, or a reduction with its copy, by lines of the table.
void encode_scatter_lines(const Encoder& encoder, const Plan& plan, const PositionLines& lines,
                          const Tensors& tensors, const Slot& slot);
void encode_held_lines(const Encoder& encoder, const Plan& plan, const PositionLines& lines,
                       const Tensors& tensors, const Slot& slot);
void encode_reduced_lines(const Encoder& encoder, const Plan& plan, const PositionLines& lines,
                          const Tensors& tensors, const Slot& slot);
// A scatter or reduction by blocks of the table, with its copy.
void encode_blocks(const Encoder& encoder, const Plan& plan, const Blocks& blocks,
                   const Tensors& tensors, const Slot& slot);
void encode_scatter(const Encoder& encoder, const Plan& plan, const Choice& choice,
                    const Tensors& tensors, const Slot& slot);
// Words in which the last position of each target is to be found; behind them, so many more.
Winners winners_for(const Encoder& encoder, const Plan& plan, const Constants& constants,
                    std::uint32_t more = 0);
// Whether a scatter in place first looks whether its targets are in order of positions.
bool looks_for_order(const Encoder& encoder, const Plan& plan, const Tensors& tensors) noexcept;
// The look, and the scatter of what is in order. From then on dispatches may be left out if that
// was all, until skip_where ends it.
void encode_ordered_scatter(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                            const Slot& slot);
// A scatter of single elements of which no two meet, where that is quicker with threads beside each
// other at positions beside each other, range by range of targets. False where it is not.
bool encode_unique_scatter(const Encoder& encoder, const Plan& plan, const Choice& choice,
                           const Tensors& tensors, const Slot& slot);
// Each position claims its target, a thread for each. Where the views have a table, and items, the
// last ones' are stored, too.
void encode_claims(const Encoder& encoder, Constants constants, Views views, const Tensors& tensors,
                   const Winners& winners);
// A scatter in place whose only kernel does that, unit by unit. False if it has others.
bool encode_claimed(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                    const Slot& slot);
// The copy of a reduction that has one. Returns where that notes whether there is a NaN, if sums
// need to know.
Winners encode_sum_source(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                          const Slot& slot);
// A reduction in any order whose updates go to the table at once, or by buckets.
void encode_accumulation(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                         Constants constants, const Views& views, const Winners& nans);
// A word of elements of up to 4 bytes that change none that they are combined with.
std::uint32_t empty_word(const Plan& plan) noexcept;
// Sums, products, minima and maxima of floats in any order: whether they go by buckets, and those
// that do. updates: elements of all; empty: a word of them that changes nothing.
bool fits_buckets(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                  std::uint64_t updates) noexcept;
void encode_buckets(const Encoder& encoder, const Tensors& tensors, Constants constants,
                    std::uint64_t updates, std::uint32_t empty);
// A scatter with reduction into a table that already holds what the source does. nans: what
// encode_sum_source returned.
void encode_reduction(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                      const Slot& slot, const Winners& nans);

}  // namespace dmlindex::d3d12
