// Errors on their way to Python.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "binding/python/gil.hpp"
#include "binding/python/numpy.hpp"
#include "dmlindex/error.hpp"
#include "plan/plan.hpp"

namespace dmlindex::binding {

// Creates DescriptorError (a ValueError) and DeviceError (a RuntimeError) and adds them to the
// module.
void add_errors(py::module_& module);

// Whether the module may be imported here: NumPy's C API and the types are those of one
// interpreter. Else sets an ImportError.
bool is_main_interpreter() noexcept;

// Sets the Python exception for the C++ one that is being handled.
void set_python_error() noexcept;

// Runs body for a C entry point: what it throws becomes the Python exception, and the result null.
// A thread that Python ends while it is in there (gil.hpp) goes on to end.
template <class Body>
DMLINDEX_CATCHES_ENDS_OF_THREADS PyObject* guarded(Body&& body) {
    try {
        return body();
#ifdef __GLIBCXX__
    } catch (abi::__forced_unwind&) {
        throw;
#endif
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

// Throws an Error whose text begins with the operation's name.
[[noreturn]] void fail(ErrorKind kind, const char* op, const std::string& what);

// What the text of an index error takes of a plan: a hundredth of its bytes, for who keeps it.
struct Indexing {
    explicit Indexing(const Plan& plan);

    Direction direction;
    IndexType index_type;
    std::vector<Coordinate> coordinates;
    std::vector<std::int64_t> sizes;  // of the indices, without the tuple's own dim
};

// The text of the IndexError of a failed run. tuple_dim: indices' last dim holds the coordinates
// (the *_nd operators).
std::string index_error_message(const char* op, const Indexing& indexing, const BadIndex& bad,
                                bool tuple_dim);
[[noreturn]] void throw_index_error(const char* op, const Plan& plan, const BadIndex& bad,
                                    bool tuple_dim);

}  // namespace dmlindex::binding
