// How many threads a call may use.
#pragma once

namespace dmlindex {

// The most threads a call may use. At first as many as the process may run on.
int get_num_threads() noexcept;
void set_num_threads(int count) noexcept;  // count ≥ 1

// Whether there is more than the calling thread to run on.
bool has_threads() noexcept;

}  // namespace dmlindex
