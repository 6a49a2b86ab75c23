#include "cpu/kernels/trials.hpp"

#include <cstring>
#include <memory>
#include <new>

#include "cpu/kernels/caches.hpp"

namespace dmlindex::cpu {
namespace {

constinit Found library_copies;
constinit Found waiting_stores;

constexpr int kLongRounds = 4;  // of trials that take long

// Any number after the one before.
std::uint32_t any_after(std::uint32_t number) noexcept { return number * 1664525 + 1013904223; }

// Places all over a table of four times L2, counted in units of some bytes, some times kCount of
// them, and items for kCount.
class AnyPlaces {
  public:
    static constexpr std::int64_t kCount = 4096;

    AnyPlaces(std::int64_t slice_bytes, std::int64_t unit_bytes, int times = 1) noexcept
        : slice_bytes_(slice_bytes),
          limit_(4 * caches().l2_bytes / slice_bytes),
          bytes_(new(std::nothrow)
                     std::byte[static_cast<std::size_t>((limit_ + kCount) * slice_bytes)]()),
          places_(new(std::nothrow) std::int64_t[static_cast<std::size_t>(times * kCount)]) {
        std::uint32_t any = 1;
        for (std::int64_t i = 0; places_ != nullptr && i < times * kCount; ++i) {
            any = any_after(any);
            const std::int64_t place = (std::int64_t{any} * limit_) >> 32;
            places_[static_cast<std::size_t>(i)] = place * (slice_bytes / unit_bytes);
        }
    }

    bool has_memory() const noexcept { return bytes_ != nullptr && places_ != nullptr; }
    std::int64_t limit() const noexcept { return limit_; }
    const std::int64_t* all() const noexcept { return places_.get(); }
    std::byte* table() const noexcept { return bytes_.get(); }
    std::byte* items() const noexcept { return bytes_.get() + limit_ * slice_bytes_; }

  private:
    std::int64_t slice_bytes_;
    std::int64_t limit_;
    std::unique_ptr<std::byte[]> bytes_;
    std::unique_ptr<std::int64_t[]> places_;
};

// Updates of single floats, kCount at a time: of as many sets of places as are given, by turns.
class SingleUpdates {
  public:
    SingleUpdates(UpdateKernel update, int sets) noexcept
        : update_(update), sets_(sets), places_(kBytes, kBytes, sets) {}
    bool has_memory() const noexcept { return places_.has_memory(); }

    void move(bool far) noexcept {
        constexpr std::int64_t kCount = AnyPlaces::kCount;
        const Coordinate axis{places_.limit(), kBytes, 0, 0};
        const std::int64_t* const places = places_.all() + next_ * kCount;
        next_ = (next_ + 1) % sets_;
        update_(
            {reinterpret_cast<const std::byte*>(places), sizeof places[0], kCount, 0, 0, &axis, 1},
            places_.table(), places_.items(), far);
    }

  private:
    static constexpr std::int64_t kBytes = sizeof(float);

    UpdateKernel update_;
    int sets_;
    int next_ = 0;
    AnyPlaces places_;
};

}  // namespace

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
        any = any_after(any);
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

bool near_updates_are_quicker(UpdateKernel update) noexcept {
    SingleUpdates updates(update, 1);
    return updates.has_memory() &&
           is_quicker([&] { updates.move(false); }, [&] { updates.move(true); }, kLongRounds);
}

bool stores_gain_by_asking(UpdateKernel put) noexcept {
    SingleUpdates updates(put, 2 * kLongRounds);
    return updates.has_memory() &&
           is_quicker([&] { updates.move(true); }, [&] { updates.move(false); }, kLongRounds);
}

bool stores_wait() noexcept {
    const UpdateKernel put = put_of_floats(kernels());
    return waiting_stores.known_or(put != nullptr, [&] { return stores_gain_by_asking(put); });
}

bool near_slices_are_quicker(MoveKernel gather) noexcept {
    const AnyPlaces places(kCacheLineBytes, 1);
    if (!places.has_memory()) return false;
    const auto move = [&](bool far) {
        gather({places.table(), places.all(), AnyPlaces::kCount, places.items(), kCacheLineBytes,
                kCacheLineBytes, kCacheLineBytes, far, nullptr, nullptr});
    };
    return is_quicker([&] { move(false); }, [&] { move(true); }, kLongRounds);
}

bool rows_gain_by_asking(MoveKernel gather) noexcept {
    constexpr std::int64_t kRowBytes = 256;
    constexpr std::int64_t kRows = 64;
    const std::int64_t table_bytes = kRows * kRowBytes;
    const std::int64_t result_bytes = 2 * caches().l2_bytes;
    const std::unique_ptr<std::byte[]> own(
        new (std::nothrow) std::byte[static_cast<std::size_t>(table_bytes + result_bytes)]());
    if (own == nullptr) return false;
    std::int64_t offsets[kRows];
    std::uint32_t any = 1;
    for (std::int64_t& offset : offsets) {
        any = any_after(any);
        offset = (any >> 26) * kRowBytes;
    }
    const auto move = [&](bool asks) {
        for (std::int64_t done = 0; done + table_bytes <= result_bytes; done += table_bytes) {
            gather({own.get(), offsets, kRows, own.get() + table_bytes + done, kRowBytes, kRowBytes,
                    kRowBytes, false, nullptr, nullptr, asks});
        }
    };
    // Where neither is clearly quicker, they ask: the more a machine has to do, the more they gain.
    return !is_quicker([&] { move(false); }, [&] { move(true); }, kLongRounds);
}

bool pages_are_quicker_by_library(SpanKernel copy_in_lines) noexcept {
    constexpr std::int64_t kSliceBytes = 16 << 10;
    constexpr std::int64_t kSlices = 16;
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
    return is_quicker([&] { copy_all(by_library); }, [&] { copy_all(copy_in_lines); }, kLongRounds);
}

void find_who_copies_pages(const Kernels& kernels) noexcept {
    const SpanKernel copy = kernels.copy_in_lines;
    library_copies.known_or(copy != nullptr, [&] { return pages_are_quicker_by_library(copy); });
}

bool library_copies_pages() noexcept {
    return library_copies.known_or(false, [] { return false; });
}

}  // namespace dmlindex::cpu
