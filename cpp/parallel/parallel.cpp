#include "parallel/parallel.hpp"

#include <atomic>

#ifdef DMLINDEX_HAS_TBB
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#endif

namespace dmlindex {
namespace {

int available_threads() noexcept {
#ifdef DMLINDEX_HAS_TBB
    return tbb::info::default_concurrency();
#else
    return 1;
#endif
}

std::atomic<int> thread_limit{0};  // 0: not set

}  // namespace

int get_num_threads() noexcept {
    const int limit = thread_limit.load(std::memory_order_relaxed);
    if (limit > 0) return limit;
    static const int available = available_threads();
    return available;
}

void set_num_threads(int count) noexcept { thread_limit.store(count, std::memory_order_relaxed); }

bool has_threads() noexcept {
#ifdef DMLINDEX_HAS_TBB
    return true;
#else
    return false;
#endif
}

void run_chunks(std::int64_t chunk_count, ChunkBody body, void* context) {
#ifdef DMLINDEX_HAS_TBB
    if (chunk_count > 1) {
        tbb::parallel_for(
            std::int64_t{0}, chunk_count, [=](std::int64_t chunk) { body(context, chunk); },
            tbb::static_partitioner());
        return;
    }
#endif
    for (std::int64_t chunk = 0; chunk < chunk_count; ++chunk) body(context, chunk);
}

}  // namespace dmlindex
