// How many threads a call may use.
#pragma once

namespace dmlindex {

// The most threads a call may use. At first as many as the process may run on.
int get_num_threads() noexcept;
void set_num_threads(int count) noexcept;  // count ≥ 1

// Whose threads they are: "oneTBB", or, where that is not there, "std::thread".
const char* thread_library() noexcept;

}  // namespace dmlindex
