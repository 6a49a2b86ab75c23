// The one file that sees oneTBB.
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include "parallel/thread_pool.hpp"

namespace {

int concurrency() noexcept { return tbb::info::default_concurrency(); }

void run_chunks(std::int64_t chunk_count, dmlindex::ChunkBody body, void* context) {
    tbb::parallel_for(
        std::int64_t{0}, chunk_count, [=](std::int64_t chunk) { body(context, chunk); },
        tbb::static_partitioner());
}

constexpr dmlindex::ThreadPool kOneTbb{concurrency, run_chunks};

}  // namespace

const dmlindex::ThreadPool* dmlindex_one_tbb() { return &kOneTbb; }
