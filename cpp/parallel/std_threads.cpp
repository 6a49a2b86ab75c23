// Threads by the standard library alone, where oneTBB is not there: one lock, and one queue of the
// calls that have chunks left.
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "parallel/processors.hpp"
#include "parallel/thread_pool.hpp"

namespace dmlindex {
namespace {

// A call: it lies on the stack of the thread that makes it, which works along, and leaves when all
// chunks are done.
struct Job {
    ChunkBody body;
    void* context;
    std::int64_t chunk_count;
    std::int64_t begun = 0;
    std::int64_t done = 0;
    std::condition_variable finished{};
    Job* next = nullptr;
};

class Pool {
  public:
    bool start(int count) noexcept;
    void run(std::int64_t chunk_count, ChunkBody body, void* context);

  private:
    using Lock = std::unique_lock<std::mutex>;

    void work();
    void run_one_chunk(Job& job, Lock& lock);
    void end_threads();

    std::mutex mutex_;
    std::condition_variable changed_;
    Job* first_ = nullptr;  // those with chunks that nobody has begun
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

// All of them, or none.
bool Pool::start(int count) noexcept {
    try {
        threads_.reserve(static_cast<std::size_t>(count));
        while (static_cast<int>(threads_.size()) < count) threads_.emplace_back(&Pool::work, this);
        return true;
    } catch (const std::exception&) {
        end_threads();
        return false;
    }
}

void Pool::end_threads() {
    {
        const Lock lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    ending_ = false;
}

void Pool::work() {
    Lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return ending_ || first_ != nullptr; });
        if (ending_) return;
        run_one_chunk(*first_, lock);
    }
}

void Pool::run_one_chunk(Job& job, Lock& lock) {
    const std::int64_t chunk = job.begun++;
    if (job.begun == job.chunk_count) {
        Job** place = &first_;
        while (*place != &job) place = &(*place)->next;
        *place = job.next;
    }
    lock.unlock();
    job.body(job.context, chunk);
    lock.lock();
    if (++job.done == job.chunk_count) job.finished.notify_one();
}

void Pool::run(std::int64_t chunk_count, ChunkBody body, void* context) {
    Job job{body, context, chunk_count};
    Lock lock(mutex_);
    Job** end = &first_;
    while (*end != nullptr) end = &(*end)->next;
    *end = &job;
    for (std::int64_t others = 1; others < chunk_count; ++others) changed_.notify_one();
    while (job.begun < chunk_count) run_one_chunk(job, lock);
    job.finished.wait(lock, [&] { return job.done == chunk_count; });
}

// Never destroyed: the end of the process is not ours to wait for. Takes no memory.
Pool& pool() noexcept {
    alignas(Pool) static std::byte place[sizeof(Pool)];
    static Pool& pool = *new (place) Pool;
    return pool;
}

bool start() noexcept { return pool().start(processors() - 1); }

void run_on_pool(std::int64_t chunk_count, ChunkBody body, void* context) {
    pool().run(chunk_count, body, context);
}

constexpr ThreadPool kStdThreads{"std::thread", processors, start, run_on_pool};

}  // namespace

const ThreadPool* std_threads() { return &kStdThreads; }

}  // namespace dmlindex
