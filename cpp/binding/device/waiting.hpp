// Waits for a device, which Ctrl-C may end.
#pragma once

#include "binding/python/gil.hpp"
#include "d3d12/backend.hpp"

namespace dmlindex::binding {

// Runs a wait without the GIL. It asks now and then whether a signal has come whose handler raises,
// as Ctrl-C's does: then it ends, and so does the call, with that exception.
template <class Wait>
void wait_interruptibly(Wait&& wait) {
    const auto is_interrupted = [] {
        return run_python([] {
            const PyGILState_STATE state = PyGILState_Ensure();
            const bool raised = PyErr_CheckSignals() != 0;
            PyGILState_Release(state);
            return raised;
        });
    };
    try {
        const GilReleased released;
        wait(is_interrupted);
    } catch (const d3d12::Interrupted&) {
        throw py::error_already_set();
    }
}

}  // namespace dmlindex::binding
