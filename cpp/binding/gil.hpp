// Without the GIL: for what needs no Python and may take a while.
#pragma once

#include <chrono>
#include <thread>

#include "binding/numpy.hpp"

namespace dmlindex::binding {

// Lets go of the GIL until the end of the block.
//
// pybind11's own class takes it back in its destructor, and at the end of the interpreter a daemon
// thread gets it no more: until Python 3.13 PyEval_RestoreThread then calls pthread_exit, which on
// Linux unwinds the stack like an exception, and that ends the process where it meets a destructor.
// Nor may it unwind further: the frames above hold Python objects, which nobody may touch without
// the GIL. So the thread stays here for good, as Python 3.14 has it do by itself. It holds no lock.
class GilReleased {
  public:
    GilReleased() : state_(PyEval_SaveThread()) {}
    GilReleased(const GilReleased&) = delete;
    GilReleased& operator=(const GilReleased&) = delete;
    ~GilReleased() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }

  private:
    PyThreadState* state_;
};

}  // namespace dmlindex::binding
