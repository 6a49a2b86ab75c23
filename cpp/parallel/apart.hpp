// Threads of a pool off the processor of the thread that calls.
#pragma once

#include "parallel/thread_pool.hpp"

namespace dmlindex {

// Runs the chunks on the pool. In a virtual machine, Linux takes processors that have paused for
// busy ones, and wakes a pool's thread where its caller runs: it begins when the caller has done
// its own part, or when the scheduler moves it, milliseconds later. So after a pause the caller's
// processor is closed to the pool's threads until the call is done.
void run_apart(const ThreadPool& pool, std::int64_t chunk_count, ChunkBody body, void* context,
               bool after_pause);

}  // namespace dmlindex
