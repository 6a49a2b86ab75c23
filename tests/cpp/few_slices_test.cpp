// A few slices of any size, moved by any number of threads: where a slice is one huge element,
// where it has fewer elements than there are threads, and on both sides of every threshold. Every
// buffer is exactly as large as the call needs, so that AddressSanitizer sees a byte too many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "operators/operators.hpp"
#include "parallel/parallel.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

constexpr std::int64_t kMostBytes = 128 << 20;  // of a call's items

// Bytes that are not set to begin with.
class Buffer {
  public:
    explicit Buffer(std::int64_t bytes)
        : bytes_(new std::byte[static_cast<std::size_t>(bytes)]), size_(bytes) {}
    std::byte* data() { return bytes_.get(); }
    std::int64_t size() const { return size_; }

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::int64_t size_;
};

struct Call {
    std::int64_t count;     // indices
    std::int64_t elements;  // in a slice
    int threads;
    Direction direction;
    Mode mode;
    bool filled;     // a gather's fill is not zeros
    bool untouched;  // on failure
};

std::string describe(const Call& call, std::int64_t slice_bytes) {
    return std::string(call.direction == Direction::kGather ? "gather" : "scatter") + " of " +
           std::to_string(call.count) + " slices of " + std::to_string(slice_bytes) + " bytes, " +
           std::to_string(call.elements) + " elements, mode " +
           std::to_string(static_cast<int>(call.mode)) + ", " + std::to_string(call.threads) +
           " threads";
}

class FewSlices {
  public:
    // For slices of about so many bytes.
    explicit FewSlices(std::int64_t slice_bytes)
        : random_(static_cast<std::uint64_t>(slice_bytes)),
          target_bytes_(slice_bytes),
          rows_(std::clamp<std::int64_t>(kMostBytes / slice_bytes, 2, 8)),
          content_(rows_ * (slice_bytes + 8)) {
        std::vector<std::byte> pattern(4099);  // a prime number: no two slices are alike
        random_.fill(pattern);
        const auto period = static_cast<std::int64_t>(pattern.size());
        for (std::int64_t at = 0; at < content_.size(); at += period) {
            std::copy_n(pattern.begin(), std::min(period, content_.size() - at),
                        content_.data() + at);
        }
    }

    // Every call there is, in an order of its own, until so many bytes are moved.
    void run(std::int64_t budget_bytes) {
        std::vector<Call> calls = first_calls();
        const std::size_t fixed = calls.size();
        for (std::int64_t count = 1; count <= rows_; ++count) {
            for (std::int64_t elements = 1; elements <= 8; ++elements) {
                for (int threads = 1; threads <= 16; ++threads) {
                    for (const Direction direction : {Direction::kGather, Direction::kScatter}) {
                        calls.push_back({count, elements, threads, direction,
                                         random_.one_of(kAllModes), random_.one_in(2),
                                         random_.one_in(2)});
                    }
                }
            }
        }
        for (std::size_t i = calls.size(); i-- > fixed + 1;) {
            const auto other =
                random_.between(static_cast<std::int64_t>(fixed), static_cast<std::int64_t>(i));
            std::swap(calls[i], calls[static_cast<std::size_t>(other)]);
        }
        const int before = get_num_threads();
        for (std::size_t i = 0; i < calls.size() && !testing::Test::HasFailure(); ++i) {
            if (i >= fixed && budget_bytes <= 0) break;
            set_num_threads(calls[i].threads);
            budget_bytes -= run(calls[i]);
        }
        set_num_threads(before);
    }

  private:
    // Those that went wrong once: a single element for several threads, and few elements.
    static std::vector<Call> first_calls() {
        std::vector<Call> calls;
        for (const Direction direction : {Direction::kGather, Direction::kScatter}) {
            calls.push_back({1, 1, 2, direction, Mode::kRaise, false, false});
            calls.push_back({1, 1, 16, direction, Mode::kClamp, false, true});
            calls.push_back({1, 3, 8, direction, Mode::kSkip, true, false});
            calls.push_back({2, 1, 5, direction, Mode::kRaise, false, true});
        }
        return calls;
    }

    // Returns how many bytes it moved.
    std::int64_t run(const Call& call) {
        const std::int64_t element_bytes = std::max<std::int64_t>(1, target_bytes_ / call.elements);
        const std::int64_t slice_bytes = call.elements * element_bytes;
        SCOPED_TRACE(describe(call, slice_bytes));
        const bool gathers = call.direction == Direction::kGather;
        // What is read ends where content ends.
        const auto read = [&](std::int64_t rows) {
            return content_.data() + content_.size() - rows * slice_bytes;
        };
        Buffer written((gathers ? call.count : rows_) * slice_bytes);
        std::byte* const table = gathers ? read(rows_) : written.data();
        std::byte* const items = gathers ? written.data() : read(call.count);

        std::vector<std::int64_t> indices(static_cast<std::size_t>(call.count));
        for (std::int64_t& index : indices) {
            const std::int64_t most = call.mode == Mode::kRaise ? rows_ - 1 : 2 * rows_;
            index = random_.between(-rows_, most);
        }
        std::vector<std::byte> fill(call.filled ? static_cast<std::size_t>(element_bytes) : 0,
                                    std::byte{0xa5});
        Plan plan;
        lower(call, element_bytes, plan);
        plan.fill = gathers && call.filled ? fill.data() : nullptr;
        const cpu::Buffers buffers{table, items, reinterpret_cast<std::byte*>(indices.data()),
                                   gathers ? nullptr : read(rows_)};
        const auto on_failure =
            call.untouched ? cpu::OnFailure::kUntouched : cpu::OnFailure::kAnything;
        EXPECT_FALSE(cpu::run(plan, buffers, on_failure));

        // Of each row that was written, what it shall hold; null for fill.
        std::vector<const std::byte*> expected;
        if (!gathers) {
            for (std::int64_t r = 0; r < rows_; ++r)
                expected.push_back(read(rows_) + r * slice_bytes);
        }
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const auto place = place_of(static_cast<std::uint64_t>(indices[i]), IndexType::kInt64,
                                        call.mode, rows_);
            if (gathers) {
                expected.push_back(place ? table + *place * slice_bytes : nullptr);
            } else if (place) {
                expected[static_cast<std::size_t>(*place)] =
                    items + static_cast<std::int64_t>(i) * slice_bytes;
            }
        }
        const std::byte filling = call.filled ? std::byte{0xa5} : std::byte{0};
        for (std::size_t r = 0; r < expected.size(); ++r) {
            const std::byte* const row =
                written.data() + static_cast<std::int64_t>(r) * slice_bytes;
            EXPECT_TRUE(
                expected[r] != nullptr
                    ? std::memcmp(row, expected[r], static_cast<std::size_t>(slice_bytes)) == 0
                    : std::count(row, row + slice_bytes, filling) == slice_bytes)
                << "row " << r;
        }
        return written.size();
    }

    void lower(const Call& call, std::int64_t element_bytes, Plan& plan) const {
        const auto layout = [&](const Sizes& sizes, std::int64_t bytes) {
            Layout packed;
            packed.rank = static_cast<int>(sizes.size());
            std::copy(sizes.begin(), sizes.end(), packed.sizes);
            set_packed_strides(packed, bytes, "test");
            return packed;
        };
        const Layout table = layout({rows_, call.elements}, element_bytes);
        const Layout items = layout({call.count, call.elements}, element_bytes);
        begin_plan(call.direction, IndexType::kInt64, element_bytes, plan);
        if (call.direction == Direction::kGather) {
            lower_gather(table, layout({call.count}, 8), items, 0, plan);
        } else {
            lower_scatter_nd(table, layout({call.count, 1}, 8), items, plan);
            lower_copy(table, table, plan);
        }
        plan.mode = call.mode;
        canonicalize(plan);
    }

    Random random_;
    std::int64_t target_bytes_;
    std::int64_t rows_;
    Buffer content_;
};

TEST(Backend, FewSmallSlices) {
    for (const std::int64_t bytes :
         {1,   2,   3,   4,   8,   15,   16,   24,   31,   63,    64,    65,
          100, 128, 255, 256, 257, 1000, 4095, 4096, 4097, 65536, 100000}) {
        FewSlices(bytes).run(8 << 20);
    }
}

TEST(Backend, FewLargeSlices) {
    for (const std::int64_t kib :
         {190, 200, 383, 384, 1000, 1024, 2048, 5000, 16384, 16400, 32768, 33000, 36000, 65536}) {
        FewSlices((kib << 10) + kib % 3).run(128 << 20);
    }
}

}  // namespace
}  // namespace dmlindex::test
