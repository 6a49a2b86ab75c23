// The standard library's threads: what runs the chunks where oneTBB is not there.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "parallel/thread_pool.hpp"

namespace dmlindex::test {
namespace {

// How often each of a call's chunks ran.
struct Ran {
    explicit Ran(std::int64_t chunk_count) : times(static_cast<std::size_t>(chunk_count)) {}

    static void note(void* context, std::int64_t chunk) {
        static_cast<Ran*>(context)->times[static_cast<std::size_t>(chunk)]++;
    }
    bool each_once() const {
        for (const std::atomic<int>& count : times) {
            if (count != 1) return false;
        }
        return true;
    }

    std::vector<std::atomic<int>> times;
};

const ThreadPool& started() {
    static const bool has_started = std_threads()->start();
    EXPECT_TRUE(has_started);
    EXPECT_GE(std_threads()->concurrency(), 1);
    return *std_threads();
}

TEST(Threads, OfTheStandardLibraryRunEachChunkOnce) {
    for (const std::int64_t chunk_count : {1, 2, 3, 8, 1000}) {
        Ran ran(chunk_count);
        started().run_chunks(chunk_count, Ran::note, &ran);
        EXPECT_TRUE(ran.each_once()) << chunk_count << " chunks";
    }
}

TEST(Threads, OfTheStandardLibraryServeCallersAtOnce) {
    const ThreadPool& pool = started();
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (std::int64_t chunk_count = 2; chunk_count < 6; ++chunk_count) {
        callers.emplace_back([&pool, &wrong, chunk_count] {
            for (int call = 0; call < 500; ++call) {
                Ran ran(chunk_count);
                pool.run_chunks(chunk_count, Ran::note, &ran);
                if (!ran.each_once()) ++wrong;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

// Two chunks that wait for each other are done by two threads.
TEST(Threads, OfTheStandardLibraryRunAtOnce) {
    if (std_threads()->concurrency() < 2) GTEST_SKIP() << "one processor";
    std::atomic<int> arrived{0};
    started().run_chunks(
        2,
        [](void* context, std::int64_t) {
            auto& here = *static_cast<std::atomic<int>*>(context);
            here.fetch_add(1);
            while (here.load() < 2) std::this_thread::yield();
        },
        &arrived);
    EXPECT_EQ(arrived, 2);
}

}  // namespace
}  // namespace dmlindex::test
