// The one file that sees oneTBB.
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "parallel/system_threads.hpp"
#include "parallel/thread_pool.hpp"

#ifdef DMLINDEX_SANITIZE_THREAD
#include <sanitizer/tsan_interface.h>
#endif

namespace {

int concurrency() noexcept {
    static const int processors = tbb::info::default_concurrency();
    return processors;
}

// ThreadSanitizer does not see into libtbb, and must be told what it promises: all before a
// parallel_for comes before its chunks, and those before all that follows. Chunks stay unordered
// among each other. Does nothing in other builds.
class Order {
  public:
#ifdef DMLINDEX_SANITIZE_THREAD
    void release() { __tsan_release(this); }
    void acquire() { __tsan_acquire(this); }
#else
    void release() {}
    void acquire() {}
#endif
};

void run_chunks(std::int64_t chunk_count, dmlindex::ChunkBody body, void* context) {
    Order begun;
    Order done;
    begun.release();
    tbb::parallel_for(
        std::int64_t{0}, chunk_count,
        [=, &begun, &done](std::int64_t chunk) {
            begun.acquire();
            body(context, chunk);
            done.release();
        },
        tbb::static_partitioner());
    done.acquire();
}

// oneTBB starts its threads as they are needed, from each other, and all of them however few a call
// wants; where the system has no memory for one, the process ends or spins. So they are started
// here, after a look whether the system would.
bool start() noexcept {
    const int wanted = concurrency();
    if (wanted <= 1) return true;
    if (!dmlindex::system_grants_threads(wanted - 1)) return false;
    try {
        // As long as an arena is there, threads are kept, even if the thread that had them started
        // ends. Never destroyed: the end of the process is not ours to wait for.
        static auto* const kept = new tbb::task_arena(wanted);
        kept->initialize();
        // They have met when all are there; on a busy machine the last may be long in coming.
        std::atomic<int> arrived{0};
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
        tbb::parallel_for(
            0, wanted,
            [&](int) {
                arrived.fetch_add(1, std::memory_order_relaxed);
                while (arrived.load(std::memory_order_relaxed) < wanted &&
                       std::chrono::steady_clock::now() < deadline) {
                    std::this_thread::yield();
                }
            },
            tbb::static_partitioner());
        return true;
    } catch (...) {
        return false;
    }
}

constexpr dmlindex::ThreadPool kOneTbb{"oneTBB", concurrency, start, run_chunks};

}  // namespace

const dmlindex::ThreadPool* dmlindex_one_tbb() { return &kOneTbb; }
