// Large output buffers, kept when their array goes and handed to the next one: the kernel need not
// zero pages that a call is about to overwrite.
#pragma once

#include <cstddef>

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

// Arrays from here on come from the cache where somebody has set it; smaller ones never.
inline constexpr std::size_t kSmallestCachedBytes = 1 << 20;

// While it lives, a NumPy array that this thread makes takes its memory from the cache, if the
// cache is on and bytes, the size of the array, worth it. The array owns the memory, as any other
// does.
class CachedAllocation {
  public:
    explicit CachedAllocation(std::size_t bytes) {
        if (bytes >= kSmallestCachedBytes) begin(bytes);
    }
    ~CachedAllocation() {
        if (handler_before_ != nullptr) end();
    }
    CachedAllocation(const CachedAllocation&) = delete;
    CachedAllocation& operator=(const CachedAllocation&) = delete;

  private:
    void begin(std::size_t bytes);
    void end() noexcept;

    PyObject* handler_before_ = nullptr;  // null where NumPy's own handler stays
};

// set_buffer_cache, get_buffer_cache, and buffer_cache_held for the tests.
void add_buffer_cache(py::module_& module);

}  // namespace dmlindex::binding
