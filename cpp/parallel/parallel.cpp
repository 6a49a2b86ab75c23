#include "parallel/parallel.hpp"

#include <atomic>
#include <string>

#include "parallel/thread_pool.hpp"

#ifdef DMLINDEX_TBB_MODULE
#include <dlfcn.h>
#endif

namespace dmlindex {
namespace {

#if defined(DMLINDEX_TBB_MODULE)

// Loads the module that lies beside this one. That fails where libtbb is not there: pip drops it
// from an installation with --target.
const ThreadPool* load_thread_pool() {
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&load_thread_pool), &self) == 0) return nullptr;
    std::string path(self.dli_fname);
    path.replace(path.rfind('/') + 1, std::string::npos, DMLINDEX_TBB_MODULE);
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) return nullptr;
    using Entry = decltype(&dmlindex_one_tbb);
    const auto entry = reinterpret_cast<Entry>(dlsym(module, "dmlindex_one_tbb"));
    return entry == nullptr ? nullptr : entry();
}

#elif defined(DMLINDEX_HAS_TBB)

const ThreadPool* load_thread_pool() { return dmlindex_one_tbb(); }

#else

const ThreadPool* load_thread_pool() { return nullptr; }

#endif

// Null: there is just the calling thread.
const ThreadPool* thread_pool() {
    static const ThreadPool* pool = load_thread_pool();
    return pool;
}

std::atomic<int> thread_limit{0};  // 0: not set

}  // namespace

int get_num_threads() noexcept {
    const int limit = thread_limit.load(std::memory_order_relaxed);
    if (limit > 0) return limit;
    static const int available = has_threads() ? thread_pool()->concurrency() : 1;
    return available;
}

void set_num_threads(int count) noexcept { thread_limit.store(count, std::memory_order_relaxed); }

bool has_threads() noexcept { return thread_pool() != nullptr; }

int threads_for(std::int64_t traffic_bytes) noexcept {
    constexpr std::int64_t kParallelBytes = 384 << 10;
    return traffic_bytes < kParallelBytes ? 1 : get_num_threads();
}

void run_chunks(std::int64_t chunk_count, ChunkBody body, void* context) {
    if (chunk_count > 1 && has_threads()) {
        thread_pool()->run_chunks(chunk_count, body, context);
        return;
    }
    for (std::int64_t chunk = 0; chunk < chunk_count; ++chunk) body(context, chunk);
}

}  // namespace dmlindex
