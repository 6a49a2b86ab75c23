// Memory between two pages that nobody may touch: a kernel that reads or writes past its buffer
// dies there and then.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dmlindex::test {

class GuardedPages {
  public:
    explicit GuardedPages(std::int64_t bytes);  // rounded up to whole pages
    ~GuardedPages();
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;

    std::byte* begin() const noexcept { return begin_; }
    std::byte* end() const noexcept { return begin_ + bytes_; }

  private:
    std::byte* begin_;
    std::int64_t bytes_;
    std::int64_t page_bytes_;
};

}  // namespace dmlindex::test
