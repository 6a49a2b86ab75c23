// The kinds of moves that encode_moves queues, a file each.
#pragma once

#include "d3d12/encode/encode.hpp"

namespace dmlindex::d3d12 {

void encode_gather(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                   const Slot& slot);
// A gather or scatter with move_rows.hlsl. winners: who may write, if that is to be asked.
void encode_rows(const Encoder& encoder, const Plan& plan, const Choice& choice,
                 const Tensors& tensors, Constants constants, const Winners& winners);
// The copy that a scatter begins with.
void encode_source_copy(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                        const Slot& slot);
void encode_scatter(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                    const Slot& slot);
// A scatter with reduction into a table that already holds what the source does.
void encode_reduction(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                      const Slot& slot);

}  // namespace dmlindex::d3d12
