#include "binding/arrays/buffer_cache.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include "binding/arrays/page_memory.hpp"
#include "binding/python/errors.hpp"
#include "binding/python/options.hpp"
#include "binding/python/signature.hpp"
#include "dmlindex/error.hpp"

#ifndef _WIN32
#include <pthread.h>
#endif

namespace dmlindex::binding {
namespace {

// Until somebody sets the cache, arrays that glibc's malloc gives back to the system one by one. It
// recycles, splits and joins what is smaller.
constexpr std::size_t kSmallestByDefault = 32 << 20;
constexpr std::size_t kLimitByDefault = 256 << 20;

// Stands before the bytes of an array, which so begin at a cache line.
struct alignas(64) Block {
    std::size_t bytes;  // with this header; a multiple of kPageBytes
    Block* next;        // in the cache, the one released before it
    void* data() noexcept { return this + 1; }
    static Block* of(void* data) noexcept { return static_cast<Block*>(data) - 1; }
    // For the limit: without a page for the header, or an array as large as it would not be kept.
    std::size_t counted() const noexcept { return bytes - kPageBytes; }
};

// What a block must have for the array; 0 if that is more than there can be.
std::size_t block_bytes(std::size_t array_bytes) noexcept {
    constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max();
    if (array_bytes > kMost - sizeof(Block) - kPageBytes) return 0;
    return (array_bytes + sizeof(Block) + kPageBytes - 1) / kPageBytes * kPageBytes;
}

// A block may be a quarter larger than what is needed: calls whose sizes vary a little still
// recycle, and an array never wastes more than a fifth of its block.
bool fits(std::size_t bytes, std::size_t needed) noexcept {
    return bytes >= needed && bytes - needed <= needed / 4;
}

void unmap_all(Block* first) noexcept {
    while (first != nullptr) {
        Block* const next = first->next;
        unmap_pages(first, first->bytes);
        first = next;
    }
}

// The blocks that no array has, the last released first. Any thread may call, with the GIL or
// without: nothing under the lock calls Python, or maps or unmaps memory.
class BufferCache {
  public:
    std::size_t held_bytes() noexcept {
        const std::lock_guard lock(mutex_);
        return held_bytes_;
    }

    std::size_t limit_bytes() const noexcept { return limit_.load(std::memory_order_relaxed); }

    std::size_t smallest() const noexcept { return smallest_.load(std::memory_order_relaxed); }

    // What is over the new limit goes back to the system.
    void set_limit(std::size_t bytes) noexcept {
        Block* excess;
        {
            const std::lock_guard lock(mutex_);
            limit_.store(bytes, std::memory_order_relaxed);
            smallest_.store(kSmallestCachedBytes, std::memory_order_relaxed);
            excess = cut(bytes);
        }
        unmap_all(excess);
    }

    // Null where there is no memory.
    Block* take(std::size_t array_bytes) noexcept {
        const std::size_t needed = block_bytes(array_bytes);
        if (needed == 0) return nullptr;
        if (Block* const block = take_held(needed)) return block;
        void* pages = map_pages(needed);
        if (pages == nullptr) {  // give back what is held, and try again
            give_back();
            pages = map_pages(needed);
        }
        return pages == nullptr ? nullptr : new (pages) Block{needed, nullptr};
    }

    void release(Block* block) noexcept {
        block->next = nullptr;
        Block* excess = block;
        if (block->bytes >= kSmallestCachedBytes) {
            const std::lock_guard lock(mutex_);
            const std::size_t limit = limit_.load(std::memory_order_relaxed);
            if (block->counted() <= limit) {
                block->next = std::exchange(first_, block);
                held_bytes_ += block->counted();
                excess = cut(limit);
            }
        }
        unmap_all(excess);
    }

    void lock() noexcept { mutex_.lock(); }
    void unlock() noexcept { mutex_.unlock(); }

  private:
    Block* take_held(std::size_t needed) noexcept {
        const std::lock_guard lock(mutex_);
        for (Block** link = &first_; *link != nullptr; link = &(*link)->next) {
            if (!fits((*link)->bytes, needed)) continue;
            Block* const block = std::exchange(*link, (*link)->next);
            held_bytes_ -= block->counted();
            return block;
        }
        return nullptr;
    }

    void give_back() noexcept {
        Block* all;
        {
            const std::lock_guard lock(mutex_);
            all = cut(0);
        }
        unmap_all(all);
    }

    // Takes out the longest unused, until the others are limit bytes at most. Needs the lock.
    Block* cut(std::size_t limit) noexcept {
        if (held_bytes_ <= limit) return nullptr;
        held_bytes_ = 0;
        Block** link = &first_;
        while (*link != nullptr && held_bytes_ + (*link)->counted() <= limit) {
            held_bytes_ += (*link)->counted();
            link = &(*link)->next;
        }
        return std::exchange(*link, nullptr);
    }

    std::mutex mutex_;
    Block* first_ = nullptr;
    std::size_t held_bytes_ = 0;
    std::atomic<std::size_t> limit_{kLimitByDefault};
    std::atomic<std::size_t> smallest_{kSmallestByDefault};
};

// Never destroyed, as the last arrays may go after the interpreter; and it takes no memory.
BufferCache& cache() noexcept {
    alignas(BufferCache) static std::byte place[sizeof(BufferCache)];
    static BufferCache& instance = *new (place) BufferCache;
    return instance;
}

void* data_of(Block* block) noexcept { return block == nullptr ? nullptr : block->data(); }

// NumPy's side. The sizes that it gives free are not used: after an assignment to an array's shape
// or dtype they need not be those of the allocation.
void* handler_malloc(void*, std::size_t bytes) { return data_of(cache().take(bytes)); }

void* handler_calloc(void*, std::size_t count, std::size_t bytes) {
    if (bytes != 0 && count > std::numeric_limits<std::size_t>::max() / bytes) return nullptr;
    void* const data = handler_malloc(nullptr, count * bytes);
    if (data != nullptr) std::memset(data, 0, count * bytes);
    return data;
}

void handler_free(void*, void* data, std::size_t) {
    if (data != nullptr) cache().release(Block::of(data));
}

void* handler_realloc(void*, void* data, std::size_t bytes) {
    if (data == nullptr) return handler_malloc(nullptr, bytes);
    Block* const block = Block::of(data);
    const std::size_t needed = block_bytes(bytes);
    if (fits(block->bytes, needed)) return data;
    void* const moved = handler_malloc(nullptr, bytes);
    if (moved == nullptr) return nullptr;
    std::memcpy(moved, data, std::min(block->bytes - sizeof(Block), bytes));
    cache().release(block);
    return moved;
}

PyDataMem_Handler handler = {
    "dmlindex_buffer_cache",
    1,
    {nullptr, handler_malloc, handler_calloc, handler_realloc, handler_free}};

PyObject* handler_capsule = nullptr;  // set once, at import

constexpr Signature kSetBufferCache("set_buffer_cache(bytes)");
constexpr Signature kGetBufferCache("get_buffer_cache()");

PyObject* set_buffer_cache_entry(PyObject*, PyObject* const* args, Py_ssize_t count,
                                 PyObject* keyword_names) {
    return guarded([&] {
        const Arguments given = parse_arguments(kSetBufferCache, args, count, keyword_names);
        const std::int64_t bytes =
            integer_argument(kSetBufferCache.name(), "bytes", given[Parameter::kBytes], 0);
        if (bytes < 0) {
            throw Error(ErrorKind::kValue, "set_buffer_cache: bytes is " + std::to_string(bytes) +
                                               ", expected 0 (off) or more");
        }
        cache().set_limit(static_cast<std::size_t>(bytes));
        return Py_NewRef(Py_None);
    });
}

PyObject* get_buffer_cache_entry(PyObject*, PyObject* const* args, Py_ssize_t count,
                                 PyObject* keyword_names) {
    return guarded([&] {
        parse_arguments(kGetBufferCache, args, count, keyword_names);
        return PyLong_FromSize_t(cache().limit_bytes());
    });
}

constexpr char kSetBufferCacheDoc[] =
    R"doc(
Sets how many bytes of large output buffers are kept for later calls; 0 keeps none.

Most of the time of a call that makes a new array of many megabytes goes into fresh pages, which the
system zeroes first. With the cache on, the memory of such an array (of 1 MiB or more) is kept when
the array goes, and the next call takes it. Until this function is called, 256 MiB are kept, of
arrays of 32 MiB or more alone: malloc recycles smaller ones. The arrays are ordinary ones: each
owns its memory, can be resized, and may outlive the cache. What a call takes is at most a quarter
larger than it needs.

The limit holds for the whole process, and counts the buffers that no array uses, without 64 KiB of
each; the longest unused go first. What is over a smaller limit goes back at once, and all with 0.

Parameters
----------
bytes : int, 0 or more

Raises
------
TypeError for what is no integer, ValueError for a negative number or one of more than 64 bits.

>>> from dmlindex import get_buffer_cache, set_buffer_cache
>>> before = get_buffer_cache()
>>> set_buffer_cache(256 << 20)  # 256 MiB, for a loop over large arrays
>>> set_buffer_cache(before)
)doc";

constexpr char kGetBufferCacheDoc[] =
    R"doc(
How many bytes of large output buffers may be kept for later calls; see set_buffer_cache.

>>> from dmlindex import get_buffer_cache, set_buffer_cache
>>> before = get_buffer_cache()
>>> set_buffer_cache(64 << 20)  # for a while
>>> get_buffer_cache()
67108864
>>> set_buffer_cache(before)
)doc";

}  // namespace

void CachedAllocation::begin(std::size_t bytes) {
    if (bytes < cache().smallest() || cache().limit_bytes() == 0) return;
    handler_before_ = PyDataMem_SetHandler(handler_capsule);
    if (handler_before_ == nullptr) throw py::error_already_set();
}

void CachedAllocation::end() noexcept {
    PyObject* const ours = PyDataMem_SetHandler(handler_before_);
    if (ours == nullptr) PyErr_WriteUnraisable(handler_before_);
    Py_XDECREF(ours);
    Py_DECREF(handler_before_);
}

void add_buffer_cache(py::module_& module) {
    handler_capsule = PyCapsule_New(&handler, "mem_handler", nullptr);
    if (handler_capsule == nullptr) throw py::error_already_set();
#ifndef _WIN32
    // A child gets the cache as it is, never in the middle of another thread's change.
    pthread_atfork([] { cache().lock(); }, [] { cache().unlock(); }, [] { cache().unlock(); });
#endif
    static PyMethodDef methods[] = {
        method<set_buffer_cache_entry>(kSetBufferCache, kSetBufferCacheDoc),
        method<get_buffer_cache_entry>(kGetBufferCache, kGetBufferCacheDoc),
        {nullptr, nullptr, 0, nullptr}};
    if (PyModule_AddFunctions(module.ptr(), methods) != 0) throw py::error_already_set();
    module.def(
        "buffer_cache_held", [] { return cache().held_bytes(); },
        "The bytes that the buffer cache holds now.");
}

}  // namespace dmlindex::binding
