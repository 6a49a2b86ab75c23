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

// Of more, the others may be woken anywhere: to ask for each takes a microsecond.
constexpr int kMostThreads = 8;

pid_t this_thread() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

// The first threads of the pool that ran a chunk; 0: none.
std::atomic<pid_t> pool_threads[kMostThreads];

// A thread's place among them, until it ends.
class Place {
  public:
    Place() noexcept {
        for (std::atomic<pid_t>& place : pool_threads) {
            pid_t none = 0;
            if (place.compare_exchange_strong(none, this_thread())) {
                place_ = &place;
                return;
            }
        }
    }
    ~Place() {
        if (place_ != nullptr) place_->store(0);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

  private:
    std::atomic<pid_t>* place_ = nullptr;
};

// While it is there, this thread's processor is closed to the pool's threads, but for those that
// may run on no other. One at a time: what a thread was allowed before is given back in the end.
class ClosedProcessor {
  public:
    ClosedProcessor() noexcept {
        if (is_closed_.exchange(true)) return;
        const int processor = sched_getcpu();
        for (const std::atomic<pid_t>& place : pool_threads) {
            Moved& moved = moved_[count_];
            moved.thread = place.load();
            if (processor < 0 || moved.thread == 0 || moved.thread == this_thread()) continue;
            if (sched_getaffinity(moved.thread, sizeof moved.allowed, &moved.allowed) != 0)
                continue;  // over 1024 processors
            cpu_set_t others = moved.allowed;
            CPU_CLR(processor, &others);
            if (CPU_COUNT(&others) == 0) continue;
            if (sched_setaffinity(moved.thread, sizeof others, &others) == 0) ++count_;
        }
        has_closed_ = true;
    }
    ~ClosedProcessor() {
        for (int i = 0; i < count_; ++i)
            sched_setaffinity(moved_[i].thread, sizeof moved_[i].allowed, &moved_[i].allowed);
        if (has_closed_) is_closed_.store(false);
    }
    ClosedProcessor(const ClosedProcessor&) = delete;
    ClosedProcessor& operator=(const ClosedProcessor&) = delete;

  private:
    struct Moved {
        pid_t thread;
        cpu_set_t allowed;
    };

    static inline std::atomic<bool> is_closed_{false};

    bool has_closed_ = false;
    int count_ = 0;
    Moved moved_[kMostThreads];
};

// The chunks of a call, whose threads are noted.
struct Noted {
    ChunkBody body;
    void* context;
    pid_t caller = this_thread();

    static void run(void* self, std::int64_t chunk) {
        const auto& noted = *static_cast<const Noted*>(self);
        if (this_thread() != noted.caller) thread_local const Place place;
        noted.body(noted.context, chunk);
    }
};

Pause last_run;

}  // namespace

void run_apart(const ThreadPool& pool, std::int64_t chunk_count, ChunkBody body, void* context) {
    Noted noted{body, context};
    if (last_run.follows_pause()) {
        const ClosedProcessor closed;
        pool.run_chunks(chunk_count, Noted::run, &noted);
    } else {
        pool.run_chunks(chunk_count, Noted::run, &noted);
    }
    last_run.note();
}

#else

void run_apart(const ThreadPool& pool, std::int64_t chunk_count, ChunkBody body, void* context) {
    pool.run_chunks(chunk_count, body, context);
}

#endif

}  // namespace dmlindex
