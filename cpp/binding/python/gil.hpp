// Without the GIL: for what needs no Python and may take a while. And with it: for what may run
// somebody's Python, which lets go of it now and then.
#pragma once

#include <chrono>
#include <thread>
#ifdef __GLIBCXX__
#include <cxxabi.h>
// Of what ends a thread there is no object: the reference that catches it is null, and UBSan errs.
#define DMLINDEX_CATCHES_ENDS_OF_THREADS __attribute__((no_sanitize("null")))
#else
#define DMLINDEX_CATCHES_ENDS_OF_THREADS
#endif

#include "binding/python/numpy.hpp"

namespace dmlindex::binding {

[[noreturn]] inline void stay_for_good() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

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
            stay_for_good();
        }
    }

  private:
    PyThreadState* state_;
};

// Calls what may run Python code, with the same end for a thread that Python ends within it. call
// itself holds no Python object.
template <class Call>
DMLINDEX_CATCHES_ENDS_OF_THREADS auto run_python(Call&& call) {
#ifdef __GLIBCXX__
    try {
        return call();
    } catch (abi::__forced_unwind&) {
        stay_for_good();
    }
#else
    return call();
#endif
}

}  // namespace dmlindex::binding
