#include "binding/arrays/quiet.hpp"

namespace dmlindex::binding {
namespace {

// NumPy 2 keeps its settings in the context. To leave one takes no memory, where to set them back
// does: no lack of it leaves the caller with a NumPy that says nothing.
bool has_settings_in_context() noexcept { return PyArray_RUNTIME_VERSION >= NPY_2_0_API_VERSION; }

py::object quiet_state() {
    return py::module_::import("numpy").attr("errstate")(py::arg("all") = "ignore");
}

// Made once.
PyObject* quiet_context() {
    static PyObject* made = nullptr;
    if (made == nullptr) {
        const py::object context = steal(PyContext_CopyCurrent());
        context.attr("run")(quiet_state().attr("__enter__"));
        made = context.inc_ref().ptr();
    }
    return made;
}

}  // namespace

QuietNumbers::QuietNumbers() {
    if (has_settings_in_context()) {
        context_ = steal(PyContext_Copy(quiet_context()));
        if (PyContext_Enter(context_.ptr()) != 0) throw py::error_already_set();
    } else {
        state_ = quiet_state();
        state_.attr("__enter__")();
    }
}

QuietNumbers::~QuietNumbers() {
    const py::error_scope kept;
    try {
        if (state_) state_.attr("__exit__")(py::none(), py::none(), py::none());
    } catch (py::error_already_set& error) {
        error.discard_as_unraisable("numpy.errstate");
    }
    if (context_ && PyContext_Exit(context_.ptr()) != 0) PyErr_Clear();
}

}  // namespace dmlindex::binding
