#include "parallel/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <string>

#include "parallel/apart.hpp"
#include "parallel/thread_pool.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#include <pthread.h>
#endif

namespace dmlindex {
namespace {

#if defined(DMLINDEX_TBB_MODULE) && defined(_WIN32)

// As below; oneTBB's wheel puts the library into PREFIX\\Library\\bin, where Windows does not look.
const ThreadPool* load_one_tbb() {
    HMODULE self = nullptr;
    std::wstring path(32768, L'\0');  // the longest that there are
    if (GetModuleHandleExW(
            GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
            reinterpret_cast<LPCWSTR>(&load_one_tbb), &self) == 0) {
        return nullptr;
    }
    path.resize(GetModuleFileNameW(self, path.data(), static_cast<DWORD>(path.size())));
    const std::wstring folder = path.substr(0, path.rfind(L'\\') + 1);
    LoadLibraryW((folder + L"..\\..\\..\\Library\\bin\\tbb12.dll").c_str());
    const HMODULE module = LoadLibraryW((folder + L"" DMLINDEX_TBB_MODULE).c_str());
    if (module == nullptr) return nullptr;
    using Entry = decltype(&dmlindex_one_tbb);
    const auto entry = reinterpret_cast<Entry>(
        reinterpret_cast<void*>(GetProcAddress(module, "dmlindex_one_tbb")));
    return entry == nullptr ? nullptr : entry();
}

#elif defined(DMLINDEX_TBB_MODULE)

// Loads the module that lies beside this one. That fails where libtbb is not there: pip drops it
// from an installation with --target.
const ThreadPool* load_one_tbb() {
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&load_one_tbb), &self) == 0) return nullptr;
    std::string path(self.dli_fname);
    path.replace(path.rfind('/') + 1, std::string::npos, DMLINDEX_TBB_MODULE);
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) return nullptr;
    using Entry = decltype(&dmlindex_one_tbb);
    const auto entry = reinterpret_cast<Entry>(dlsym(module, "dmlindex_one_tbb"));
    return entry == nullptr ? nullptr : entry();
}

#elif defined(DMLINDEX_HAS_TBB)

const ThreadPool* load_one_tbb() { return dmlindex_one_tbb(); }

#else

const ThreadPool* load_one_tbb() { return nullptr; }

#endif

// What there is, looked for once. No lock and no static variable with an initialiser: a fork may
// come while another thread is here, and nobody would ever finish its work in the child.
struct Library {
    const ThreadPool* pool;
    int concurrency;
};

std::atomic<const Library*> library{nullptr};
std::atomic<int> looking{0};  // threads that do

const Library& find_library() noexcept {
    if (const Library* found = library.load(std::memory_order_acquire)) return *found;
    looking.fetch_add(1);
    const ThreadPool* const one_tbb = load_one_tbb();
    const ThreadPool* const pool = one_tbb != nullptr ? one_tbb : std_threads();
    const auto* const mine = new Library{pool, pool->concurrency()};
    const Library* found = nullptr;
    if (library.compare_exchange_strong(found, mine)) {
        found = mine;
    } else {
        delete mine;
    }
    looking.fetch_sub(1);
    return *found;
}

// kLost: this process is the child of one that had started. The pool's threads are not here, and
// its locks may be held by them for ever. To start anew is not oneTBB's to offer; and whoever forks
// after calls mostly wants one process a processor. So the child runs everything on the calling
// thread, and never enters the pool.
enum class Threads { kNotStarted, kStarting, kReady, kLost };
std::atomic<Threads> threads_are{Threads::kNotStarted};

#ifndef _WIN32

void lose_threads() noexcept {
    if (threads_are.load() != Threads::kNotStarted || looking.load() != 0) {
        threads_are.store(Threads::kLost);
    }
}

[[maybe_unused]] const int watches_forks = pthread_atfork(nullptr, nullptr, lose_threads);

#endif

// Whether there are threads now. If not, the call does without: it neither waits for another that
// starts them, nor fails where the system has no memory for them.
bool have_ready() noexcept {
    const Library& found = find_library();
    Threads state = threads_are.load(std::memory_order_acquire);
    if (state != Threads::kNotStarted) return state == Threads::kReady;
    if (!threads_are.compare_exchange_strong(state, Threads::kStarting)) return false;
    const bool started = found.pool->start();
    threads_are.store(started ? Threads::kReady : Threads::kNotStarted, std::memory_order_release);
    return started;
}

std::atomic<int> thread_limit{0};  // 0: not set
constexpr std::int64_t kParallelBytes = 768 << 10;

// After a pause threads have to be woken: for a large call, or for the next when several have moved
// as much on one thread.
constexpr std::int64_t kWakingBytes = 6 * kParallelBytes;
constexpr std::int64_t kPause = 1'000'000;  // ns

std::int64_t now() noexcept {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// When threads last ended what they ran; and when a call last ended that was worth them, and how
// much such calls have moved since a pause.
std::atomic<std::int64_t> last_run{0};
std::atomic<std::int64_t> last_call{0};
std::atomic<std::int64_t> moved_since_pause{0};

bool is_past(const std::atomic<std::int64_t>& last) noexcept {
    return last.load(std::memory_order_relaxed) < now() - kPause;
}

void note_call(std::int64_t moved) noexcept {
    moved_since_pause.store(std::min(moved, kWakingBytes), std::memory_order_relaxed);
    last_call.store(now(), std::memory_order_relaxed);
}

}  // namespace

int get_num_threads() noexcept {
    const int limit = thread_limit.load(std::memory_order_relaxed);
    return limit > 0 ? limit : find_library().concurrency;
}

// The next call follows no pause.
void set_num_threads(int count) noexcept {
    thread_limit.store(count, std::memory_order_relaxed);
    moved_since_pause.store(kWakingBytes, std::memory_order_relaxed);
    last_call.store(std::numeric_limits<std::int64_t>::max(), std::memory_order_relaxed);
}

const char* thread_library() noexcept { return find_library().pool->name; }

int threads_for(std::int64_t traffic_bytes) noexcept {
    if (traffic_bytes < kParallelBytes) return 1;
    const int threads = get_num_threads();
    if (threads <= 1 || !have_ready()) return 1;
    if (traffic_bytes >= kWakingBytes) return threads;
    const bool awake = moved_since_pause.load(std::memory_order_relaxed) >= kWakingBytes;
    return awake && !is_past(last_call) ? threads : 1;
}

WorthThreads::WorthThreads(std::int64_t traffic_bytes) noexcept {
    if (traffic_bytes < kParallelBytes) return;
    moved_ = std::min(traffic_bytes, kWakingBytes);
    if (!is_past(last_call)) moved_ += moved_since_pause.load(std::memory_order_relaxed);
}

WorthThreads::~WorthThreads() {
    if (moved_ > 0) note_call(moved_);
}

void run_chunks(std::int64_t chunk_count, ChunkBody body, void* context) {
    if (chunk_count > 1 && threads_are.load(std::memory_order_acquire) == Threads::kReady) {
        run_apart(*find_library().pool, chunk_count, body, context, is_past(last_run));
        note_call(kWakingBytes);
        last_run.store(last_call.load(std::memory_order_relaxed), std::memory_order_relaxed);
        return;
    }
    for (std::int64_t chunk = 0; chunk < chunk_count; ++chunk) body(context, chunk);
}

}  // namespace dmlindex
