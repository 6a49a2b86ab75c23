// A device that only notes what it is asked to do.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "d3d12/encode/encode.hpp"
#include "operators/operators.hpp"
#include "plan/facts.hpp"

namespace dmlindex {

using d3d12::Kernel;
using Names = std::vector<std::string>;

inline Layout packed(std::initializer_list<std::int64_t> sizes, std::int64_t element_bytes) {
    Layout layout;
    for (const std::int64_t size : sizes) layout.sizes[layout.rank++] = size;
    set_packed_strides(layout, element_bytes, "test");
    return layout;
}

inline d3d12::Chunk memory;  // all of it, and none

inline d3d12::Span span(std::int64_t bytes) {
    return {&memory, 0, static_cast<std::uint64_t>(bytes)};
}

// Keeps what is queued, and holds views to what D3D12 lets them reach.
class Recorded final : public d3d12::Recorder {
  public:
    explicit Recorded(std::int64_t texels) : texels_(static_cast<std::uint64_t>(texels)) {}

    void dispatch(Kernel kernel, const d3d12::Constants& constants, const d3d12::Views& views,
                  std::uint64_t) override {
        kernels.emplace_back(d3d12::code_of(kernel).name);
        thirds.push_back(constants.arguments[2]);
        for (const d3d12::View& view : views.read) expect_reached(kernel, view);
        for (const d3d12::View& view : views.written) expect_reached(kernel, view);
    }
    void skip_where(const d3d12::Span& words, bool) override {
        kernels.emplace_back(words ? "skipped:" : "end");
    }
    d3d12::Span slot(std::uint32_t) const noexcept override { return span(16); }

    Names kernels;
    std::vector<std::uint32_t> thirds;  // arguments of the kernels
    int shared_winners = 0;

  private:
    void expect_reached(Kernel kernel, const d3d12::View& view) const {
        EXPECT_LE(view.span.bytes, texels_ * d3d12::texel_bytes(view.format))
            << d3d12::code_of(kernel).name;
    }

    std::uint64_t texels_;
};

// Queues a canonical plan as Device::run does, with descriptor tables.
inline Recorded queued(const Plan& plan, std::int64_t table_bytes, std::int64_t items_bytes,
                       std::int64_t indices_bytes,
                       const d3d12::Profile& profile = d3d12::kDefaultProfile,
                       std::int64_t texels = d3d12::Reach::kTexels) {
    Recorded recorded(texels);
    const auto take = [](std::uint64_t bytes) { return d3d12::Span{&memory, 0, bytes}; };
    const d3d12::Encoder encoder{recorded,
                                 true,
                                 texels,
                                 profile,
                                 false,
                                 {},
                                 take,
                                 [&](const void*, std::uint64_t bytes) { return take(bytes); },
                                 [&] { return take(1 << 20); },
                                 [&](std::uint64_t targets, std::uint64_t) {
                                     ++recorded.shared_winners;
                                     return d3d12::Winners{take(4 * targets)};
                                 }};
    const d3d12::Tensors tensors{span(table_bytes), span(items_bytes), span(indices_bytes),
                                 plan.copies_source ? span(table_bytes) : d3d12::Span{}};
    const auto sections = d3d12::find_sections(plan, tensors, encoder.reach());
    if (sections.empty()) {
        const auto wrapped = d3d12::encode_wrapped(encoder, plan, tensors);
        const Plan& moved = wrapped ? wrapped->plan : plan;
        const d3d12::Tensors& moving = wrapped ? wrapped->tensors : tensors;
        const d3d12::Choice choice = d3d12::choose(moved, moving, encoder.reach());
        d3d12::encode_moves(encoder, moved, choice, moving, {});
    } else {
        d3d12::encode_sections(encoder, plan, tensors, sections, {}, [] {});
    }
    return recorded;
}

// Words scattered by 32-bit indices.
inline Recorded queued_words(std::int64_t targets, std::int64_t count, bool copies) {
    Plan plan;
    begin_plan(Direction::kScatter, IndexType::kInt32, 4, plan);
    lower_scatter_nd(packed({targets}, 4), packed({count, 1}, 4), packed({count}, 4), plan);
    if (copies) lower_copy(packed({targets}, 4), packed({targets}, 4), plan);
    canonicalize(plan);
    return queued(plan, 4 * targets, 4 * count, 4 * count);
}

}  // namespace dmlindex
