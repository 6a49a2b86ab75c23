#include "cpu/kernels/trials.hpp"

namespace dmlindex::cpu {

std::int64_t few_summed_places(const Kernels& kernels) noexcept {
    constexpr std::int64_t kFew = 256;
    constexpr std::int64_t kPlaces = 16;
    constexpr std::int64_t kCount = 1024;
    constexpr auto kFloat = static_cast<int>(ValueType::kFloat32);
    constexpr auto kSum = static_cast<int>(Reduction::kAdd);
    constexpr auto kIndex = static_cast<int>(IndexType::kInt64);
    constexpr std::int64_t kBytes = sizeof(float);
    const UpdateKernel update = kernels.put_reduced[kFloat][kSum][kIndex];
    const MoveKernel reduce = kernels.reduce[kFloat][kSum];
    const ResolveKernel resolve = kernels.resolve[kIndex][static_cast<int>(Mode::kRaise)];
    if (update == nullptr) return kFew;
    std::int64_t indices[kCount];
    std::int64_t offsets[kCount];
    std::byte table[kPlaces * kBytes] = {};
    std::byte items[kCount * kBytes] = {};
    std::uint32_t any = 1;
    for (std::int64_t& index : indices) {
        any = any * 1664525 + 1013904223;
        index = any >> 28;
    }
    const Coordinate axis{kPlaces, kBytes, 0, 0};
    const IndexRun run{
        reinterpret_cast<const std::byte*>(indices), sizeof indices[0], kCount, 0, 0, &axis, 1};
    const bool in_one = is_quicker([&] { update(run, table, items, false); },
                                   [&] {
                                       resolve(run, offsets);
                                       reduce({table, offsets, kCount, items, kBytes, kBytes,
                                               kBytes, false, nullptr, nullptr});
                                   });
    return in_one ? 0 : kFew;
}

}  // namespace dmlindex::cpu
