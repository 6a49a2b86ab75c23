// Callers at once, each of whose calls has threads of its own: what ThreadSanitizer shall see.
#include <gtest/gtest.h>

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <thread>

#include "operators/operators.hpp"
#include "parallel/parallel.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

constexpr int kCallers = 3;

// Of each direction and mode, with and without updates that meet.
std::vector<RandomCall> calls_worth_threads() {
    constexpr std::int64_t kCount = 30000;
    Random random(11);
    std::vector<RandomCall> calls;
    for (const Mode mode : kAllModes) {
        for (const Direction direction : {Direction::kGather, Direction::kScatter}) {
            for (const std::int64_t places : {std::int64_t{7}, kCount}) {
                RandomCall call;
                call.table = random_tensor(random, {places, 4}, 4, false);
                call.items = random_tensor(random, {kCount, 4}, 4, false);
                call.indices = packed_tensor({kCount, 1}, 8);
                begin_plan(direction, IndexType::kInt64, 4, call.plan);
                if (direction == Direction::kGather) {
                    lower_gather_nd(call.table.layout, call.indices.layout, call.items.layout, 0,
                                    call.plan);
                } else {
                    lower_scatter_nd(call.table.layout, call.indices.layout, call.items.layout,
                                     call.plan);
                    call.source = random_tensor(random, {places, 4}, 4, false);
                    lower_copy(call.source->layout, call.table.layout, call.plan);
                }
                call.plan.mode = mode;
                for (std::int64_t i = 0; i < kCount; ++i)
                    set_index(call.indices, Sizes{i, 0}, random.between(-places, places - 1));
                canonicalize(call.plan);
                calls.push_back(std::move(call));
            }
        }
    }
    return calls;
}

// They share what they read, and the number of threads, which one of them changes all the time.
TEST(Threads, CallersAtOnce) {
    const int before = get_num_threads();
    set_num_threads(1);
    const std::vector<RandomCall> given = calls_worth_threads();
    std::vector<RandomCall> expected = given;
    for (RandomCall& call : expected)
        cpu::run(call.plan, call.buffers(), cpu::OnFailure::kUntouched);

    std::atomic<int> wrong{0};
    const auto run_all = [&](int caller) {
        for (std::size_t c = 0; c < given.size(); ++c) {
            set_num_threads(1 + (static_cast<int>(c) + caller) % 3);
            RandomCall own = given[c];
            cpu::Buffers buffers = own.buffers();
            buffers.indices = given[c].indices.data();
            if (own.source) buffers.source = const_cast<std::byte*>(given[c].source->data());
            const auto bad = cpu::run(own.plan, buffers, cpu::OnFailure::kUntouched);
            if (bad || !(own.table == expected[c].table) || !(own.items == expected[c].items))
                ++wrong;
        }
    };
    std::vector<std::thread> callers;
    for (int caller = 0; caller < kCallers; ++caller) callers.emplace_back(run_all, caller);
    for (std::thread& caller : callers) caller.join();
    set_num_threads(before);
    EXPECT_EQ(wrong, 0);
}

// After a pause a call that is hardly worth threads does without; a number of threads that was just
// set is used.
TEST(Threads, APause) {
    constexpr std::int64_t kSmall = std::int64_t{1} << 20;
    constexpr std::int64_t kLarge = std::int64_t{1} << 26;
    constexpr std::chrono::milliseconds kPause(5);
    const int before = get_num_threads();
    for (int repeat = 0; repeat < 3; ++repeat) {
        set_num_threads(2);
        const int threads = threads_for(kSmall);  // one, where the system grants no more
        { const WorthThreads call(kLarge); }
        std::this_thread::sleep_for(kPause);
        EXPECT_EQ(threads_for(kSmall), 1);
        EXPECT_EQ(threads_for(kLarge), threads);
        // It begins when a call ends, however long that took; a busy machine may make one, too.
        int found = 0;
        for (int again = 0; found != threads && again < 100; ++again) {
            {
                const WorthThreads call(kLarge);
                std::this_thread::sleep_for(kPause);
            }
            found = threads_for(kSmall);
        }
        EXPECT_EQ(found, threads);
        // Small ones wake threads when they have moved as much.
        found = 0;
        for (int again = 0; found != threads && again < 100; ++again) {
            std::this_thread::sleep_for(kPause);
            EXPECT_EQ(threads_for(kSmall), 1);
            for (int call = 0; call < 5; ++call) const WorthThreads small(kSmall);
            found = threads_for(kSmall);
        }
        EXPECT_EQ(found, threads);
    }
    set_num_threads(before);
}

#ifdef __linux__

// After a pause the caller's processor is closed to the pool's threads, and open to them again in
// the end.
TEST(Threads, AreKeptOffTheCallersProcessor) {
    constexpr int kChunks = 3;
    cpu_set_t own;
    if (sched_getaffinity(0, sizeof own, &own) != 0) GTEST_SKIP() << "over 1024 processors";
    const int before = get_num_threads();
    set_num_threads(0);
    const int processors = get_num_threads();
    set_num_threads(before);
    threads_for(std::int64_t{1} << 26);  // starts them
    bool closed = processors == 1 || processors > 9;
    for (int repeat = 0; repeat < 5 || (!closed && repeat < 200); ++repeat) {
        std::atomic<pid_t> ran[kChunks];
        std::atomic<int> off{0};
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        parallel_for(kChunks, [&](std::int64_t chunk) {
            cpu_set_t allowed;
            sched_getaffinity(0, sizeof allowed, &allowed);
            if (CPU_COUNT(&allowed) == CPU_COUNT(&own) - 1) ++off;
            ran[chunk] = static_cast<pid_t>(syscall(SYS_gettid));
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        closed = closed || off > 0;
        for (const std::atomic<pid_t>& thread : ran) {
            cpu_set_t allowed;
            ASSERT_EQ(sched_getaffinity(thread, sizeof allowed, &allowed), 0);
            EXPECT_TRUE(CPU_EQUAL(&allowed, &own));
        }
    }
    EXPECT_TRUE(closed);
}

#endif

}  // namespace
}  // namespace dmlindex::test
