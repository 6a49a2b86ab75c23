// Large output buffers, kept when their array goes and handed to the next one: the kernel need not
// zero pages that a call is about to overwrite.
#pragma once

#include <cstddef>

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

// While it lives, a NumPy array that this thread makes takes its memory from the cache, if the
// cache is on and bytes, the size of the array, worth it. The array owns the memory, as any other
// does.
class CachedAllocation {
  public:
    explicit CachedAllocation(std::size_t bytes);
    ~CachedAllocation();
    CachedAllocation(const CachedAllocation&) = delete;
    CachedAllocation& operator=(const CachedAllocation&) = delete;

  private:
    PyObject* handler_before_ = nullptr;  // null where NumPy's own handler stays
};

// set_buffer_cache, get_buffer_cache, and buffer_cache_held for the tests.
void add_buffer_cache(py::module_& module);

}  // namespace dmlindex::binding
