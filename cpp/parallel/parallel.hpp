// Threads for the backends: oneTBB's, or, where that is not there, the standard library's.
#pragma once

#include <cstdint>
#include <type_traits>

#include "dmlindex/threads.hpp"

namespace dmlindex {

// How many threads a call that moves so many bytes should use: one, where waking another (about 2
// µs, after a pause 40) costs more than it gives, and where there are no others: the system refuses
// to start them, or this is the child of a process that had. Starts what is missing.
int threads_for(std::int64_t traffic_bytes) noexcept;

// A call that moves so many bytes, on whatever threads: when it ends, a pause begins.
class WorthThreads {
  public:
    explicit WorthThreads(std::int64_t traffic_bytes) noexcept;
    ~WorthThreads();
    WorthThreads(const WorthThreads&) = delete;
    WorthThreads& operator=(const WorthThreads&) = delete;

  private:
    std::int64_t moved_ = 0;  // since the last pause; 0: too little to count
};

// Calls body(context, chunk) for every chunk in [0, chunk_count), on as many threads as there are
// chunks: what threads_for said, or fewer. body must not throw.
using ChunkBody = void (*)(void* context, std::int64_t chunk);
void run_chunks(std::int64_t chunk_count, ChunkBody body, void* context);

template <class Body>
void parallel_for(std::int64_t chunk_count, Body&& body) {
    run_chunks(
        chunk_count,
        [](void* context, std::int64_t chunk) {
            (*static_cast<std::remove_reference_t<Body>*>(context))(chunk);
        },
        const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace dmlindex
