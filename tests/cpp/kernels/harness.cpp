#include "harness.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "guarded.hpp"

namespace dmlindex::test {
namespace {

constexpr std::int64_t kBufferBytes = 512 << 10;
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kMarginBytes = 64;
constexpr std::size_t kMostBuffers = 8;

const GuardedPages& pages(std::size_t number) {
    static const std::vector<std::unique_ptr<GuardedPages>> all = [] {
        std::vector<std::unique_ptr<GuardedPages>> made;
        for (std::size_t i = 0; i < kMostBuffers; ++i)
            made.push_back(std::make_unique<GuardedPages>(kBufferBytes));
        return made;
    }();
    return *all.at(number);
}

// Enough random bytes to take a stretch of them anywhere: making each anew would take most of the
// time.
const std::vector<std::byte>& noise() {
    static const std::vector<std::byte> bytes = [] {
        std::vector<std::byte> made(2 * kBufferBytes);
        Random(4711).fill(made);
        return made;
    }();
    return bytes;
}

const char* label(Axis axis, int at) {
    static constexpr const char* kIndexTypeNames[] = {"int8",  "uint8",  "int16", "uint16",
                                                      "int32", "uint32", "int64", "uint64"};
    static constexpr const char* kModeNames[] = {"raise", "clamp", "wrap", "skip"};
    static constexpr const char* kWidthNames[] = {"8 bits", "16 bits", "32 bits", "64 bits"};
    static constexpr const char* kValueTypeNames[] = {"bool",
                                                      "int8",
                                                      "uint8",
                                                      "int16",
                                                      "uint16",
                                                      "int32",
                                                      "uint32",
                                                      "int64",
                                                      "uint64",
                                                      "float16",
                                                      "bfloat16",
                                                      "float32",
                                                      "float64",
                                                      "long double",
                                                      "complex64",
                                                      "complex128",
                                                      "complex long double",
                                                      "byte table"};
    static constexpr const char* kReductionNames[] = {"none", "add", "mul", "min", "max"};
    switch (axis) {
        case Axis::kIndexType:
            return kIndexTypeNames[at];
        case Axis::kMode:
            return kModeNames[at];
        case Axis::kWidth:
            return kWidthNames[at];
        case Axis::kValueType:
            return kValueTypeNames[at];
        case Axis::kReduction:
            return kReductionNames[at];
        case Axis::kSlice:
            break;
    }
    return "";
}

double seconds_of(const std::function<void()>& run) {
    using Clock = std::chrono::steady_clock;
    constexpr double kEnough = 2e-4;
    double best = 1e9;
    std::int64_t times = 1;
    for (int round = 0; round < 12;) {
        const auto begin = Clock::now();
        for (std::int64_t i = 0; i < times; ++i) run();
        const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
        if (taken < kEnough) {
            times *= 2;
            continue;
        }
        best = std::min(best, taken / static_cast<double>(times));
        ++round;
    }
    return best;
}

}  // namespace

Case::Case(Random& random_, const cpu::Kernels& kernels_, std::vector<int> at, std::int64_t count_,
           double* seconds)
    : random(random_),
      kernels(kernels_),
      count(count_),
      timed(seconds != nullptr),
      at_(std::move(at)),
      seconds_(seconds) {}

const std::byte* Case::random_bytes(std::int64_t bytes) {
    return noise().data() + random.between(0, static_cast<std::int64_t>(noise().size()) - bytes);
}

Twin Case::buffer(std::int64_t bytes, std::int64_t alignment) {
    const GuardedPages& room = pages(placed_.size());
    if (bytes + 2 * kMarginBytes + kLineBytes > kBufferBytes)
        std::abort();  // a smaller trial, please
    std::byte* data = room.begin() + kMarginBytes + kLineBytes;
    if (!timed && bytes % alignment == 0 && random.one_in(2)) {
        data = room.end() - bytes;
    } else if (!timed && random.one_in(2)) {
        data = room.begin();
    } else if (!timed) {
        data += random.between(0, (kLineBytes - 1) / alignment) * alignment;
    }
    const std::int64_t before = std::min(kMarginBytes, data - room.begin());
    const std::int64_t after = std::min(kMarginBytes, room.end() - (data + bytes));
    const auto all_bytes = static_cast<std::size_t>(before + bytes + after);
    std::memcpy(data - before, random_bytes(before + bytes + after), all_bytes);
    std::vector<std::byte> copy(data - before, data + bytes + after);
    const Twin twin{data, copy.data() + before, bytes};
    placed_.push_back({twin, before, after, std::move(copy)});
    return twin;
}

Pieces Case::pieces(std::int64_t pieces_count, std::int64_t piece_bytes, std::int64_t stride) {
    const std::int64_t reach = std::max<std::int64_t>(pieces_count - 1, 0) * stride;
    const Twin all = buffer(pieces_count == 0 ? 0 : std::abs(reach) + piece_bytes);
    return {all + std::max<std::int64_t>(-reach, 0), stride};
}

void Case::call(const std::function<void()>& run) {
    if (timed) {
        *seconds_ = seconds_of(run);
    } else {
        run();
    }
}

void Case::same(const char* what, std::int64_t got, std::int64_t expected) {
    if (!timed && got != expected)
        wrong_ = std::string(what) + " " + std::to_string(got) + ", expected " +
                 std::to_string(expected);
}

std::string Case::difference() const {
    if (!wrong_.empty()) return wrong_;
    for (std::size_t b = 0; b < placed_.size(); ++b) {
        const Placed& each = placed_[b];
        const std::byte* const data = each.twin.data - each.margin_before;
        const auto [at, other] = std::mismatch(each.copy.begin(), each.copy.end(), data);
        if (at == each.copy.end()) continue;
        std::ostringstream text;
        text << "buffer " << b << " of " << each.twin.bytes << " bytes differs at byte "
             << (at - each.copy.begin()) - each.margin_before << ": "
             << std::to_integer<int>(*other) << ", expected " << std::to_integer<int>(*at);
        return text.str();
    }
    return {};
}

std::vector<int> Family::at(std::int64_t slot) const {
    std::vector<int> place(sizes.size());
    for (std::size_t a = sizes.size(); a-- > 0; slot /= sizes[a])
        place[a] = static_cast<int>(slot % sizes[a]);
    return place;
}

std::string Family::slot_name(std::int64_t slot) const {
    const std::vector<int> place = at(slot);
    std::string text = name;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        const std::int64_t bytes = axes[a] == Axis::kSlice ? cpu::kClassBytes[place[a]] : 0;
        const std::string size = bytes == 0 ? "any size" : std::to_string(bytes) + " bytes";
        text +=
            "[" + (axes[a] == Axis::kSlice ? size : std::string(label(axes[a], place[a]))) + "]";
    }
    return text;
}

std::vector<std::byte> Family::address(const cpu::Kernels& kernels, std::int64_t slot) const {
    constexpr std::int64_t kBytes = sizeof(cpu::MoveKernel);
    const auto* from = reinterpret_cast<const std::byte*>(&kernels) + offset_bytes + slot * kBytes;
    return {from, from + kBytes};
}

bool Family::has(const cpu::Kernels& kernels, std::int64_t slot) const {
    const std::vector<std::byte> bytes = address(kernels, slot);
    return std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{}; });
}

const std::vector<Family>& families() {
    static const std::vector<Family> all = [] {
        std::vector<Family> made = resolve_families();
        for (const auto& more : {hold_families(), move_families(), reduce_families()})
            made.insert(made.end(), more.begin(), more.end());
        return made;
    }();
    return all;
}

}  // namespace dmlindex::test
