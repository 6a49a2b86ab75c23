// How a wait for the device ends before what is waited for is there.
#pragma once

#include <chrono>
#include <functional>

namespace dmlindex::d3d12 {

// Whether a wait is to end. Called on the thread that waits, some times a second. Then the wait
// ends with Interrupted, and what was waited for goes on.
using Interrupt = std::function<bool()>;
struct Interrupted {};

inline constexpr std::chrono::milliseconds kInterruptTime(50);  // between two questions

inline void throw_if_interrupted(const Interrupt& interrupt) {
    if (interrupt()) throw Interrupted();
}

}  // namespace dmlindex::d3d12
