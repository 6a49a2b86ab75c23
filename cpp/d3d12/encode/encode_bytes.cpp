// Slices of any number of bytes, in pieces of 16.

#include <algorithm>

#include "d3d12/encode/encode_moves.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::int64_t kManyGroups = 512;

// gather_bytes.hlsl: `to` is made of slices of `from`.
void encode_pieces(const Encoder& encoder, Kernel kernel, const Span& to, std::int64_t to_bytes,
                   const Span& from, std::int64_t slice_bytes, Constants constants, Views views) {
    const std::int64_t pieces = quotient_up(to_bytes, kPieceBytes);
    // As many as still leave groups for all of the GPU.
    const std::int64_t most = std::min<std::int64_t>(kMostPieces, slice_bytes);
    const std::int64_t each = std::clamp<std::int64_t>(pieces / (kGroup * kManyGroups), 1, most);
    set_slice(slice_bytes, constants);
    constants.arguments[0] = narrow(to_bytes);
    constants.arguments[1] = narrow(each * kGroup);
    views.read[0] = {from, Format::kRgba32};
    views.written[0] = {to, Format::kRgba32};
    encoder.queue.dispatch(kernel, constants, views,
                           static_cast<std::uint64_t>(quotient_up(pieces, each)));
}

}  // namespace

void encode_gather_bytes(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                         const Slot& slot) {
    Constants constants = plan_constants(plan, slot);
    set_pattern(plan, kPieceBytes, constants);
    Views views;
    views.read[1] = {tensors.indices, Format::kR32};
    encode_pieces(encoder, Kernel::gather_bytes, tensors.items,
                  position_count(plan) * plan.slice_bytes, tensors.table, plan.slice_bytes,
                  constants, views);
}

void encode_scatter_slices(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                           Constants constants, const Winners& winners) {
    Views views;
    views.read[2] = {plan.copies_source ? tensors.source : tensors.table, Format::kRgba32};
    views.written[kWinnersRegister] = {winners.span, Format::kRaw};
    encode_pieces(encoder, Kernel::scatter_slices, tensors.table,
                  static_cast<std::int64_t>(tensors.table.bytes), tensors.items, plan.slice_bytes,
                  constants, views);
}

void encode_scatter_bytes(const Encoder& encoder, const Plan& plan, const Tensors& tensors,
                          Constants constants, const Winners& winners) {
    const std::int64_t part = std::min<std::int64_t>(unit_of(plan), 4);
    const std::int64_t reached = quotient_up(plan.slice_bytes - part, kPieceBytes) + 1;
    set_slice(plan.slice_bytes, constants);
    constants.arguments[0] = narrow(position_count(plan));
    constants.arguments[1] = narrow(reached);
    constants.arguments[2] = narrow(part);
    Views views;
    views.read[0] = {tensors.items, Format::kRgba32};
    views.read[1] = {tensors.indices, Format::kR32};
    views.written[0] = {tensors.table, Format::kRgba32};
    views.written[1] = {tensors.table, Format::kR32};
    views.written[2] = {tensors.table, element_format(part)};
    views.written[kWinnersRegister] = {winners.span, Format::kRaw};
    const std::int64_t pieces = position_count(plan) * reached;
    encoder.queue.dispatch(Kernel::scatter_bytes, constants, views,
                           static_cast<std::uint64_t>(quotient_up(pieces, kPiecesAThread)));
}

}  // namespace dmlindex::d3d12
