// What parallel.cpp needs of a library of threads, as a table: the Python module loads it at run
// time, and does without where the library is not there.
#pragma once

#include <cstdint>

#include "parallel/parallel.hpp"

namespace dmlindex {

struct ThreadPool {
    int (*concurrency)() noexcept;
    // Has so many threads ready to run chunks, the calling one among them, or as many as the system
    // has processors. False if the system refuses to start them; then none was. One call at a time.
    bool (*start)(int threads) noexcept;
    void (*run_chunks)(std::int64_t chunk_count, ChunkBody body, void* context);
};

}  // namespace dmlindex

#if defined(_WIN32)
#define DMLINDEX_EXPORT __declspec(dllexport)
#else
#define DMLINDEX_EXPORT __attribute__((visibility("default")))
#endif

extern "C" DMLINDEX_EXPORT const dmlindex::ThreadPool* dmlindex_one_tbb();
