#include "parallel/apart.hpp"

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#endif

namespace dmlindex {

#ifdef __linux__

namespace {

// Larger pools are left alone: to ask for each thread takes some microseconds, and which of them
// will run is not known.
constexpr int kMostThreads = 8;

pid_t this_thread() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

bool is_of_this_process(pid_t thread) noexcept {
    return syscall(SYS_tgkill, getpid(), thread, 0) == 0;
}

// The pool's threads that have run a chunk; 0: none.
std::atomic<pid_t> pool_threads[kMostThreads];

// The process's first thread may lend a hand where its own library waits, but is not the pool's.
void note(pid_t thread) noexcept {
    if (thread == getpid()) return;
    for (std::atomic<pid_t>& place : pool_threads) {
        pid_t noted = place.load(std::memory_order_relaxed);
        if (noted == 0 && place.compare_exchange_strong(noted, thread)) return;
        if (noted == thread) return;
    }
}

// While it is there, this thread's processor is closed to the pool's threads, but for those that
// may run on no other. One at a time, which opens it again in the end.
class ClosedProcessor {
  public:
    explicit ClosedProcessor(bool wanted) noexcept {
        if (!wanted || is_closed_.exchange(true)) return;
        has_closed_ = true;
        processor_ = sched_getcpu();
        if (processor_ < 0) return;
        for (const std::atomic<pid_t>& place : pool_threads) {
            const pid_t thread = place.load(std::memory_order_relaxed);
            if (thread == 0 || thread == this_thread() || !is_of_this_process(thread)) continue;
            cpu_set_t allowed;  // too small past 1024 processors
            if (sched_getaffinity(thread, sizeof allowed, &allowed) != 0) continue;
            if (CPU_ISSET(processor_, &allowed) == 0) continue;
            CPU_CLR(processor_, &allowed);
            if (CPU_COUNT(&allowed) > 0 && sched_setaffinity(thread, sizeof allowed, &allowed) == 0)
                moved_[count_++] = thread;
        }
    }
    // Adds it to what they may use by now, which others may have changed.
    ~ClosedProcessor() {
        for (int i = 0; i < count_; ++i) {
            cpu_set_t allowed;
            if (sched_getaffinity(moved_[i], sizeof allowed, &allowed) != 0) continue;
            CPU_SET(processor_, &allowed);
            sched_setaffinity(moved_[i], sizeof allowed, &allowed);
        }
        if (has_closed_) is_closed_.store(false);
    }
    ClosedProcessor(const ClosedProcessor&) = delete;
    ClosedProcessor& operator=(const ClosedProcessor&) = delete;

  private:
    static inline std::atomic<bool> is_closed_{false};

    bool has_closed_ = false;
    int processor_ = -1;
    int count_ = 0;
    pid_t moved_[kMostThreads];
};

// The chunks of a call, whose threads are noted.
struct Noted {
    ChunkBody body;
    void* context;
    pid_t caller = this_thread();

    static void run(void* self, std::int64_t chunk) {
        const auto& noted = *static_cast<const Noted*>(self);
        if (const pid_t thread = this_thread(); thread != noted.caller) note(thread);
        noted.body(noted.context, chunk);
    }
};

}  // namespace

void run_apart(const ThreadPool& pool, std::int64_t chunk_count, ChunkBody body, void* context,
               bool after_pause) {
    if (pool.concurrency() > kMostThreads + 1) {
        pool.run_chunks(chunk_count, body, context);
        return;
    }
    Noted noted{body, context};
    const ClosedProcessor closed(after_pause);
    pool.run_chunks(chunk_count, Noted::run, &noted);
}

#else

void run_apart(const ThreadPool& pool, std::int64_t chunk_count, ChunkBody body, void* context,
               bool) {
    pool.run_chunks(chunk_count, body, context);
}

#endif

}  // namespace dmlindex
