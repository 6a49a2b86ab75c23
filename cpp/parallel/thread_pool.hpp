// What parallel.cpp needs of a library of threads, as a table. The Python module loads oneTBB's at
// run time, and takes the standard library's where oneTBB is not there.
#pragma once

#include <cstdint>

#include "parallel/parallel.hpp"

namespace dmlindex {

struct ThreadPool {
    const char* name;
    int (*concurrency)() noexcept;
    // Starts all threads, once. False if the system refuses to; then none was. One call at a time.
    bool (*start)() noexcept;
    void (*run_chunks)(std::int64_t chunk_count, ChunkBody body, void* context);
};

const ThreadPool* std_threads();

}  // namespace dmlindex

#if defined(_WIN32)
#define DMLINDEX_EXPORT __declspec(dllexport)
#else
#define DMLINDEX_EXPORT __attribute__((visibility("default")))
#endif

extern "C" DMLINDEX_EXPORT const dmlindex::ThreadPool* dmlindex_one_tbb();
