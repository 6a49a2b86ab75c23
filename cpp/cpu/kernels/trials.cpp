#include "cpu/kernels/trials.hpp"

#include <cstring>
#include <memory>
#include <new>

#include "cpu/kernels/caches.hpp"

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

bool last_level_is_slow(UpdateKernel update) noexcept {
    constexpr std::size_t kCount = 16384;
    constexpr int kRounds = 4;
    constexpr std::int64_t kBytes = sizeof(float);
    const std::int64_t table_bytes = 4 * caches().l2_bytes;
    const std::unique_ptr<std::byte[]> table(
        new (std::nothrow) std::byte[static_cast<std::size_t>(table_bytes)]());
    const std::unique_ptr<std::int64_t[]> indices(new (std::nothrow) std::int64_t[kCount]);
    const std::unique_ptr<float[]> items(new (std::nothrow) float[kCount]());
    if (table == nullptr || indices == nullptr || items == nullptr) return true;
    const Coordinate axis{table_bytes / kBytes, kBytes, 0, 0};
    std::uint32_t any = 1;
    for (std::size_t i = 0; i < kCount; ++i) {
        any = any * 1664525 + 1013904223;
        indices[i] = static_cast<std::int64_t>(
            std::uint64_t{any} * static_cast<std::uint64_t>(axis.limit) >> 32);
    }
    const IndexRun run{reinterpret_cast<const std::byte*>(indices.get()),
                       sizeof indices[0],
                       kCount,
                       0,
                       0,
                       &axis,
                       1};
    const auto update_all = [&](bool far) {
        update(run, table.get(), reinterpret_cast<const std::byte*>(items.get()), far);
    };
    return is_quicker([&] { update_all(true); }, [&] { update_all(false); }, kRounds);
}

bool library_copies_pages(CopySpan copy) noexcept {
    constexpr std::int64_t kSliceBytes = 16 << 10;
    constexpr std::int64_t kSlices = 16;
    constexpr int kRounds = 4;
    const std::int64_t table_bytes = kSlices * kSliceBytes;
    const std::int64_t count = 2 * caches().l2_bytes / kSliceBytes;
    const std::unique_ptr<std::byte[]> own(new (
        std::nothrow) std::byte[static_cast<std::size_t>(table_bytes + count * kSliceBytes)]());
    if (own == nullptr) return false;
    const auto copy_all = [&](auto copy_one) {
        for (std::int64_t i = 0; i < count; ++i) {
            copy_one(own.get() + table_bytes + i * kSliceBytes,
                     own.get() + i % kSlices * kSliceBytes, kSliceBytes);
        }
    };
    const auto by_library = [](std::byte* to, const std::byte* from, std::int64_t bytes) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    };
    return is_quicker([&] { copy_all(by_library); }, [&] { copy_all(copy); }, kRounds);
}

}  // namespace dmlindex::cpu
