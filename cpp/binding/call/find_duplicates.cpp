#include "binding/call/find_duplicates.hpp"

#include <new>
#include <string>
#include <vector>

#include "binding/arrays/convert.hpp"
#include "binding/arrays/elsewhere.hpp"
#include "binding/call/device_place.hpp"
#include "binding/call/dispatch.hpp"
#include "binding/call/docs.hpp"
#include "binding/python/errors.hpp"
#include "binding/python/gil.hpp"
#include "binding/python/options.hpp"
#include "binding/python/text.hpp"
#include "cpu/backend.hpp"
#include "dmlindex/error.hpp"
#include "operators/operators.hpp"

namespace dmlindex::binding {
namespace {

constexpr Signature kSignature(
    "find_duplicates(input_or_shape, indices, *, axis=None, mode='raise')");
constexpr const char* kOp = kSignature.name();
constexpr const char* kTable = "input_or_shape";

[[noreturn]] void refuse(ErrorKind kind, const std::string& what) {
    fail(kind, kOp, kTable + what);
}

// The sizes as a tuple, which nobody else can change.
py::object sizes_of(PyObject* object) {
    if (PySequence_Check(object)) {
        try {
            return steal(run_python([&] { return PySequence_Tuple(object); }));
        } catch (py::error_already_set& error) {
            if (!error.matches(PyExc_TypeError)) throw;  // only that is about the object
        }
    }
    refuse(ErrorKind::kType, " is " + shown(object) + ", expected an array or a sequence of sizes");
}

// What has a shape of its own: an array of any library, in memory or not.
bool is_array(PyObject* object) {
    if (PyArray_Check(object) || is_device_tensor(object)) return true;
    if (is_at_hand(object) || is_plain_value(object) || PyTuple_Check(object)) return false;
    return py::hasattr(object, "shape") &&
           (py::hasattr(object, "__array__") || py::hasattr(object, "__dlpack__"));
}

py::object shape_of(PyObject* object) {
    return steal(run_python([&] { return PyObject_GetAttrString(object, "shape"); }));
}

Layout table_layout(PyObject* object) {
    refuse_masked(kOp, kTable, object);
    const py::object sizes = is_array(object) ? sizes_of(shape_of(object).ptr()) : sizes_of(object);
    const Py_ssize_t rank = PyTuple_GET_SIZE(sizes.ptr());
    if (rank > kMaxDims) {
        refuse(ErrorKind::kValue, " has " + std::to_string(rank) + " sizes, expected at most " +
                                      std::to_string(kMaxDims));
    }
    Layout layout;
    for (Py_ssize_t d = 0; d < rank; ++d) {
        const std::int64_t size =
            integer_argument(kOp, "a size in input_or_shape", PyTuple_GET_ITEM(sizes.ptr(), d), 0);
        if (size < 0) {
            refuse(ErrorKind::kValue,
                   " has the size " + std::to_string(size) + ", expected 0 or more");
        }
        layout.sizes[layout.rank++] = size;
    }
    // Elements of one byte, so that a place's offset is its number; nothing is moved.
    set_packed_strides(layout, 1, kOp);
    return layout;
}

Array to_array(const std::vector<std::int64_t>& positions) {
    Layout shape;
    shape.rank = 1;
    shape.sizes[0] = static_cast<std::int64_t>(positions.size());
    const py::object int64 = steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_INT64)));
    Array result = new_array(kOp, shape, reinterpret_cast<PyArray_Descr*>(int64.ptr()));
    std::copy(positions.begin(), positions.end(), reinterpret_cast<std::int64_t*>(result.data()));
    return result;
}

PyObject* find(const Arguments& given) {
    const Layout table = table_layout(given[Parameter::kInputOrShape]);
    PyObject* const places = given[Parameter::kIndices];
    Array array = is_device_tensor(places) ? Array(py::handle(places).attr("numpy")())
                                           : plain_array(kOp, "indices", places);
    const bool elements = given.has(Parameter::kAxis);
    const std::int64_t axis_given =
        elements ? integer_argument(kOp, "axis", given[Parameter::kAxis], 0) : 0;
    const Mode mode = mode_argument(kOp, given[Parameter::kMode], Direction::kScatter);

    Tensor indices;
    look_at_indices(kOp, places, std::move(array), !elements, indices);
    Plan plan;
    begin_plan(Direction::kScatter, index_type(indices), 1, plan);
    plan.mode = mode;
    if (elements) {
        const int axis = normalize_axis(kOp, "axis", axis_given, table.rank);
        Layout updates = scatter_elements_updates_shape(kOp, table, indices.layout, axis);
        set_packed_strides(updates, 1, kOp);
        lower_scatter_elements(table, indices.layout, updates, axis, plan);
    } else {
        Layout updates = scatter_nd_updates_shape(kOp, table, indices.layout);
        set_packed_strides(updates, 1, kOp);
        lower_scatter_nd(table, indices.layout, updates, plan);
        plan.rank = indices.layout.rank - 1;  // a tuple is one update, whatever its slice holds
    }
    std::vector<std::int64_t> overwritten;
    std::optional<BadIndex> bad;
    try {
        const GilReleased released;
        bad = cpu::find_overwritten(plan, indices.data, overwritten);
    } catch (const std::bad_alloc&) {
        std::int64_t count = 1;
        for (int d = 0; d < plan.rank; ++d) count *= plan.dims[d].size;
        throw Error(ErrorKind::kMemory,
                    std::string(kOp) + ": indices name " + std::to_string(count) +
                        " places, expected fewer: there is not enough memory for 24 bytes "
                        "of each; look at a part of them at a time");
    }
    if (bad) throw_index_error(kOp, plan, *bad, !elements);
    return to_array(overwritten).release();
}

PyObject* entry(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* keyword_names) {
    return guarded([&] {
        const Py_ssize_t positional = PyVectorcall_NARGS(static_cast<std::size_t>(count));
        const Arguments given = parse_arguments(kSignature, args, positional, keyword_names);
        for (const Parameter p : {Parameter::kInputOrShape, Parameter::kIndices}) {
            if (is_elsewhere(given[p])) {
                return call_elsewhere(kOp, args, positional, keyword_names);
            }
        }
        return find(given);
    });
}

}  // namespace

PyMethodDef find_duplicates_method() { return method<entry>(kSignature, kFindDuplicatesDoc); }

}  // namespace dmlindex::binding
