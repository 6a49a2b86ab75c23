#include "binding/functions.hpp"

#include <new>
#include <optional>
#include <string>
#include <vector>

#include "binding/arguments.hpp"
#include "binding/arrays.hpp"
#include "binding/device_calls.hpp"
#include "binding/devices.hpp"
#include "binding/docs.hpp"
#include "binding/errors.hpp"
#include "binding/operator_tables.hpp"
#include "cpu/duplicates.hpp"
#include "operators/operators.hpp"

namespace dmlindex::binding {
namespace {

// Below this a call is over sooner than other threads could take the GIL.
constexpr std::int64_t kReleaseBytes = 64 << 10;

constexpr GatherOperator kGather{
    {"gather", 7, 3, 2, {"input", "indices", "axis", "mode", "fill_value", "out", "device"}},
    true,
    gather_shape,
    lower_gather};
constexpr GatherOperator kGatherElements{
    {"gather_elements",
     7,
     3,
     2,
     {"input", "indices", "axis", "mode", "fill_value", "out", "device"}},
    true,
    gather_elements_shape,
    lower_gather_elements};
constexpr GatherOperator kGatherNd{
    {"gather_nd",
     7,
     3,
     2,
     {"input", "indices", "batch_dims", "mode", "fill_value", "out", "device"}},
    false,
    gather_nd_shape,
    lower_gather_nd};

constexpr ScatterOperator kScatterElements{{"scatter_elements",
                                            9,
                                            4,
                                            3,
                                            {"input", "indices", "updates", "axis", "reduction",
                                             "mode", "unique_indices", "out", "device"}},
                                           true,
                                           scatter_elements_updates_shape,
                                           lower_scatter_elements};
constexpr ScatterOperator kScatterNd{
    {"scatter_nd",
     8,
     3,
     3,
     {"input", "indices", "updates", "reduction", "mode", "unique_indices", "out", "device"}},
    false,
    [](const char* op, const Layout& input, const Layout& indices, int) {
        return scatter_nd_updates_shape(op, input, indices);
    },
    [](const Layout& output, const Layout& indices, const Layout& updates, int, Plan& plan) {
        lower_scatter_nd(output, indices, updates, plan);
    }};

void run_plan(const char* op, Plan& plan, const cpu::Buffers& buffers, cpu::OnFailure on_failure,
              std::int64_t traffic_bytes, bool tuple_dim) {
    canonicalize(plan);
    std::optional<cpu::BadIndex> bad;
    if (traffic_bytes < kReleaseBytes) {
        bad = cpu::run(plan, buffers, on_failure);
    } else {
        const py::gil_scoped_release released;
        bad = cpu::run(plan, buffers, on_failure);
    }
    if (bad) throw_index_error(op, plan, *bad, tuple_dim);
}

std::int64_t bytes_of(const Array& array) noexcept { return PyArray_NBYTES(array.get()); }

Py_ssize_t argument_count(Py_ssize_t count) noexcept {
    return PyVectorcall_NARGS(static_cast<std::size_t>(count));
}

template <const GatherOperator& kOperator>
PyObject* gather_entry(PyObject*, PyObject* const* args, Py_ssize_t count,
                       PyObject* keyword_names) {
    return guarded([&]() -> PyObject* {
        const char* const op = kOperator.signature.name;
        const Arguments given =
            parse_arguments(kOperator.signature, args, argument_count(count), keyword_names);
        if (is_device_call(op, given[6], given[0], given[1], given[5])) {
            return gather_on_device(kOperator, given);
        }
        check_device(op, given[6]);
        Array input = data_array(op, "input", given[0]);
        Array indices = index_array(op, given[1]);
        const std::int64_t number =
            integer_argument(op, kOperator.signature.parameters[2], given[2], 0);
        const Mode mode = mode_argument(op, given[3], Direction::kGather);
        const py::object fill = fill_argument(op, given[4], input.dtype());

        const int rank = PyArray_NDIM(input.get());
        const int third = kOperator.has_axis
                              ? normalize_axis(op, "axis", number, rank)
                              : static_cast<int>(std::clamp<std::int64_t>(number, -1, kMaxDims));
        Layout shape = kOperator.shape(op, input.layout(), indices.layout(), third);
        const bool fresh = given[5] == nullptr || given[5] == Py_None;
        Array output = fresh ? new_array(op, shape, input.dtype())
                             : out_array(op, given[5], shape, input.dtype());
        if (!fresh) {
            input = apart_from(std::move(input), output);
            indices = apart_from(std::move(indices), output);
        }

        Plan plan;
        begin_plan(Direction::kGather, index_type(indices.dtype()), input.element_bytes(), plan);
        plan.mode = mode;
        plan.fill = fill_bytes(fill);
        kOperator.lower(input.layout(), indices.layout(), output.layout(), third, plan);
        run_plan(op, plan, {input.data(), output.data(), indices.data(), nullptr},
                 fresh ? cpu::OnFailure::kAnything : cpu::OnFailure::kUntouched,
                 bytes_of(output) + bytes_of(indices), !kOperator.has_axis);
        return output.release();
    });
}

template <const ScatterOperator& kOperator>
PyObject* scatter_entry(PyObject*, PyObject* const* args, Py_ssize_t count,
                        PyObject* keyword_names) {
    return guarded([&]() -> PyObject* {
        const char* const op = kOperator.signature.name;
        const Arguments given =
            parse_arguments(kOperator.signature, args, argument_count(count), keyword_names);
        PyObject* const* options =
            given.values + (kOperator.has_axis ? 4 : 3);  // reduction and what follows
        if (is_device_call(op, options[4], given[0], given[1], given[2], options[3])) {
            return scatter_on_device(kOperator, given);
        }
        check_device(op, options[4]);
        Array input = data_array(op, "input", given[0]);
        Array indices = index_array(op, given[1]);
        Array updates = data_array(op, "updates", given[2]);
        const std::int64_t number =
            kOperator.has_axis ? integer_argument(op, "axis", given[3], 0) : 0;
        const Reduction reduction = reduction_argument(op, options[0]);
        const Mode mode = mode_argument(op, options[1], Direction::kScatter);
        const bool unique = flag_argument(op, "unique_indices", options[2]);
        PyObject* const out = options[3];

        const Layout input_layout = input.layout();
        const int axis =
            kOperator.has_axis ? normalize_axis(op, "axis", number, input_layout.rank) : 0;
        Layout shape = kOperator.updates_shape(op, input_layout, indices.layout(), axis);
        check_updates(op, updates.dtype(), updates.layout(), shape, input.dtype());
        const Arithmetic with = reduction == Reduction::kNone
                                    ? Arithmetic{ValueType::kUint8, nullptr}
                                    : arithmetic(op, input.dtype(), reduction);
        const bool fresh = out == nullptr || out == Py_None;
        shape = input_layout;
        Array output =
            fresh ? new_array(op, shape, input.dtype()) : out_array(op, out, shape, input.dtype());
        const bool in_place = !fresh && same_view(input, output);
        if (!fresh) {
            if (!in_place) input = apart_from(std::move(input), output);
            indices = apart_from(std::move(indices), output);
            updates = apart_from(std::move(updates), output);
        }

        Plan plan;
        begin_plan(Direction::kScatter, index_type(indices.dtype()), input.element_bytes(), plan);
        plan.mode = mode;
        plan.reduction = reduction;
        plan.value_type = with.value_type;
        plan.byte_table = with.byte_table;
        plan.unique_indices = unique;
        kOperator.lower(output.layout(), indices.layout(), updates.layout(), axis, plan);
        if (!in_place) lower_copy(input.layout(), output.layout(), plan);
        run_plan(op, plan, {output.data(), updates.data(), indices.data(), input.data()},
                 fresh ? cpu::OnFailure::kAnything : cpu::OnFailure::kUntouched,
                 bytes_of(updates) + bytes_of(indices) + (in_place ? 0 : bytes_of(output)),
                 !kOperator.has_axis);
        return output.release();
    });
}

Layout shape_argument(const char* op, PyObject* shape) {
    const py::object sizes = py::reinterpret_steal<py::object>(
        PySequence_Check(shape) ? PySequence_Fast(shape, "") : nullptr);
    if (!sizes) {
        PyErr_Clear();
        throw Error(ErrorKind::kType, std::string(op) + ": input_shape is " +
                                          std::string(py::repr(shape)) +
                                          ", expected a sequence of sizes");
    }
    const Py_ssize_t rank = PySequence_Fast_GET_SIZE(sizes.ptr());
    if (rank > kMaxDims) {
        throw Error(ErrorKind::kValue, std::string(op) + ": input_shape has " +
                                           std::to_string(rank) + " sizes, expected at most " +
                                           std::to_string(kMaxDims));
    }
    Layout layout;
    for (Py_ssize_t d = 0; d < rank; ++d) {
        const std::int64_t size = integer_argument(op, "a size in input_shape",
                                                   PySequence_Fast_GET_ITEM(sizes.ptr(), d), 0);
        if (size < 0) {
            throw Error(ErrorKind::kValue, std::string(op) + ": input_shape has the size " +
                                               std::to_string(size) + ", expected 0 or more");
        }
        layout.sizes[layout.rank++] = size;
    }
    set_packed_strides(layout, 1, op);
    return layout;
}

PyObject* find_duplicates_entry(PyObject*, PyObject* const* args, Py_ssize_t count,
                                PyObject* keyword_names) {
    static constexpr Signature kSignature{
        "find_duplicates", 3, 2, 2, {"input_shape", "indices", "axis"}};
    return guarded([&]() -> PyObject* {
        const char* const op = kSignature.name;
        const Arguments given =
            parse_arguments(kSignature, args, argument_count(count), keyword_names);
        // The table has elements of one byte, so that a place's offset is its number; nothing is
        // moved.
        const Layout table = shape_argument(op, given[0]);
        const Array indices = index_array(op, given[1]);
        const Layout index_layout = indices.layout();
        const bool elements = given[2] != nullptr && given[2] != Py_None;

        Plan plan;
        begin_plan(Direction::kScatter, index_type(indices.dtype()), 1, plan);
        if (elements) {
            const int axis =
                normalize_axis(op, "axis", integer_argument(op, "axis", given[2], 0), table.rank);
            Layout updates = scatter_elements_updates_shape(op, table, index_layout, axis);
            set_packed_strides(updates, 1, op);
            lower_scatter_elements(table, index_layout, updates, axis, plan);
        } else {
            Layout updates = scatter_nd_updates_shape(op, table, index_layout);
            set_packed_strides(updates, 1, op);
            lower_scatter_nd(table, index_layout, updates, plan);
            plan.rank = index_layout.rank - 1;  // a tuple is one update, whatever its slice holds
        }
        std::vector<std::int64_t> overwritten;
        std::optional<cpu::BadIndex> bad;
        try {
            const py::gil_scoped_release released;
            bad = cpu::find_overwritten(plan, indices.data(), overwritten);
        } catch (const std::bad_alloc&) {
            std::int64_t places = 1;
            for (int d = 0; d < plan.rank; ++d) places *= plan.dims[d].size;
            throw Error(ErrorKind::kMemory,
                        std::string(op) + ": indices name " + std::to_string(places) +
                            " places, expected fewer: there is not enough memory for 24 bytes "
                            "of each; look at a part of them at a time");
        }
        if (bad) throw_index_error(op, plan, *bad, !elements);
        Layout shape;
        shape.rank = 1;
        shape.sizes[0] = static_cast<std::int64_t>(overwritten.size());
        PyArray_Descr* const int64 = PyArray_DescrFromType(NPY_INT64);
        const auto dtype = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(int64));
        Array result = new_array(op, shape, int64);
        std::copy(overwritten.begin(), overwritten.end(),
                  reinterpret_cast<std::int64_t*>(result.data()));
        return result.release();
    });
}

}  // namespace

void add_functions(py::module_& module) {
    static PyMethodDef methods[] = {
        method<gather_entry<kGather>>("gather", kGatherDoc),
        method<gather_entry<kGatherElements>>("gather_elements", kGatherElementsDoc),
        method<gather_entry<kGatherNd>>("gather_nd", kGatherNdDoc),
        method<scatter_entry<kScatterElements>>("scatter_elements", kScatterElementsDoc),
        method<scatter_entry<kScatterNd>>("scatter_nd", kScatterNdDoc),
        method<find_duplicates_entry>("find_duplicates", kFindDuplicatesDoc),
        {nullptr, nullptr, 0, nullptr}};
    if (PyModule_AddFunctions(module.ptr(), methods) != 0) throw py::error_already_set();
}

}  // namespace dmlindex::binding
