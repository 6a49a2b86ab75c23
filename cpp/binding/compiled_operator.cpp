#include "binding/compiled_operator.hpp"

#include <structmember.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "binding/arguments.hpp"
#include "binding/descs.hpp"
#include "binding/errors.hpp"
#include "binding/operand.hpp"
#include "cpu/backend.hpp"
#include "error.hpp"
#include "operators/compile.hpp"

namespace dmlindex::binding {
namespace {

// Below this a call is over sooner than other threads could take the GIL.
constexpr std::int64_t kReleaseBytes = 64 << 10;

constexpr Signature kGatherCall{"CompiledOperator", 3, 2, 2, {"input", "indices", "out"}};
constexpr Signature kScatterCall{
    "CompiledOperator", 4, 3, 3, {"input", "indices", "updates", "out"}};

PyObject* out_keyword = nullptr;  // the interned "out", set once, at import

// What a call gave, borrowed; updates is null in a gather, out where a new array is wanted.
struct CallArguments {
    PyObject* input;
    PyObject* indices;
    PyObject* updates;
    PyObject* out;
};

class BoundOperator {
  public:
    BoundOperator(py::object desc, py::object mode, OperatorDesc core_desc, CompileOptions options)
        : desc_(std::move(desc)),
          mode_(std::move(mode)),
          core_(std::move(core_desc), std::move(options)),
          name_(name(core_.type())) {
        const OperatorLayouts& layouts = core_.layouts();
        std::visit(
            [&](const auto& d) {
                input_.emplace("input", *d.input_tensor, layouts.input);
                indices_.emplace("indices", *d.indices_tensor, layouts.indices);
                if constexpr (requires { d.updates_tensor; }) {
                    updates_.emplace("updates", *d.updates_tensor, layouts.updates);
                }
                output_.emplace("out", *d.output_tensor, layouts.output);
                tuples_ = requires { d.input_dimension_count; };
            },
            core_.desc());
        lies_alike_ = std::equal(layouts.input.strides, layouts.input.strides + layouts.input.rank,
                                 layouts.output.strides);
        traffic_bytes_ =
            element_count(layouts.output) * core_.plan().element_bytes + indices_->span_bytes();
    }

    const py::object& desc() const noexcept { return desc_; }
    const py::object& mode() const noexcept { return mode_; }
    const CompiledOperator& core() const noexcept { return core_; }

    PyObject* call(PyObject* const* args, Py_ssize_t count, PyObject* keyword_names) const {
        const CallArguments given = read_arguments(args, count, keyword_names);
        if (input_->is_ready(given.input) && indices_->is_ready(given.indices) &&
            (given.updates == nullptr || updates_->is_ready(given.updates))) {
            if (given.out == nullptr) {
                Array output = output_->fresh();
                run_ready(core_.plan(), given, output.data(), cpu::OnFailure::kAnything);
                return output.release();
            }
            if (const Plan* plan = ready_plan(given)) {
                run_ready(*plan, given, data(given.out), cpu::OnFailure::kUntouched);
                return Py_NewRef(given.out);
            }
        }
        return call_converting(given);
    }

  private:
    static std::byte* data(PyObject* array) noexcept {
        return array == nullptr
                   ? nullptr
                   : static_cast<std::byte*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
    }

    CallArguments read_arguments(PyObject* const* args, Py_ssize_t count,
                                 PyObject* keyword_names) const {
        const bool scatters = core_.scatters();
        // op(x, i) and op(x, i, out=y) as most callers write them: nothing to search for.
        const bool has_out = keyword_names != nullptr && PyTuple_GET_SIZE(keyword_names) == 1 &&
                             PyTuple_GET_ITEM(keyword_names, 0) == out_keyword;
        if (count == (scatters ? 3 : 2) && (keyword_names == nullptr || has_out)) {
            PyObject* const out = has_out ? args[count] : Py_None;
            return {args[0], args[1], scatters ? args[2] : nullptr, out == Py_None ? nullptr : out};
        }
        const Arguments given =
            parse_arguments(scatters ? kScatterCall : kGatherCall, args, count, keyword_names);
        PyObject* const out = given[scatters ? 3 : 2];
        return {given[0], given[1], scatters ? given[2] : nullptr, out == Py_None ? nullptr : out};
    }

    // The plan for arrays that are all ready, or null where they overlap or out is not.
    const Plan* ready_plan(const CallArguments& given) const noexcept {
        if (!output_->is_ready(given.out) ||
            !PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(given.out))) {
            return nullptr;
        }
        const std::byte* const out = data(given.out);
        const std::byte* const out_end = out + output_->span_bytes();
        const auto is_apart = [&](const Operand& operand, PyObject* array) {
            const std::byte* const first = data(array);
            return out_end <= first || first + operand.span_bytes() <= out;
        };
        if (!is_apart(*indices_, given.indices)) return nullptr;
        if (given.updates != nullptr && !is_apart(*updates_, given.updates)) return nullptr;
        if (is_apart(*input_, given.input)) return &core_.plan();
        const bool in_place = given.updates != nullptr && lies_alike_ && data(given.input) == out;
        return in_place ? &core_.plan_in_place() : nullptr;
    }

    void run_ready(const Plan& plan, const CallArguments& given, std::byte* output,
                   cpu::OnFailure on_failure) const {
        run(plan, data(given.input), data(given.indices), data(given.updates), output, on_failure);
    }

    void run(const Plan& plan, std::byte* input, const std::byte* indices, std::byte* updates,
             std::byte* output, cpu::OnFailure on_failure) const {
        const cpu::Buffers buffers =
            core_.scatters()
                ? cpu::Buffers{output, updates, indices, plan.copies_source ? input : nullptr}
                : cpu::Buffers{input, output, indices, nullptr};
        std::optional<cpu::BadIndex> bad;
        if (traffic_bytes_ < kReleaseBytes) {
            bad = cpu::run(plan, buffers, on_failure);
        } else {
            const py::gil_scoped_release released;
            bad = cpu::run(plan, buffers, on_failure);
        }
        if (bad) throw_index_error(name_.c_str(), plan, *bad, tuples_);
    }

    // For arrays that must be converted, copied because they overlap with out, or lowered anew
    // because they have strides of their own.
    PyObject* call_converting(const CallArguments& given) const {
        const char* const op = name_.c_str();
        Array input = input_->readable(op, given.input);
        Array indices = indices_->readable(op, given.indices);
        std::optional<Array> updates;
        if (given.updates != nullptr) updates = updates_->readable(op, given.updates);
        const bool fresh = given.out == nullptr;
        Array output = fresh ? output_->fresh() : output_->writeable(op, given.out);
        const bool in_place = core_.scatters() && !fresh && lies_alike_ && same_view(input, output);
        if (!fresh) {
            if (!in_place) input = apart_from(std::move(input), output);
            indices = apart_from(std::move(indices), output);
            if (updates) updates = apart_from(std::move(*updates), output);
        }
        OperatorLayouts layouts;
        layouts.input = input_->layout_in(input);
        layouts.indices = indices_->layout_in(indices);
        if (updates) layouts.updates = updates_->layout_in(*updates);
        layouts.output = output_->layout_in(output);
        Plan plan;
        core_.lower(layouts, in_place, plan);
        run(plan, input.data(), indices.data(), updates ? updates->data() : nullptr, output.data(),
            fresh ? cpu::OnFailure::kAnything : cpu::OnFailure::kUntouched);
        return output.release();
    }

    py::object desc_;
    py::object mode_;
    CompiledOperator core_;
    std::string name_;
    std::optional<Operand> input_;
    std::optional<Operand> indices_;
    std::optional<Operand> updates_;
    std::optional<Operand> output_;
    bool tuples_;      // the last dim of indices holds the coordinates
    bool lies_alike_;  // input and output have the same strides, so that a scatter can be in place
    std::int64_t traffic_bytes_;
};

// The Python object. Its type is raw because pybind11's dispatch costs several times what a small
// call does.
struct Object {
    PyObject_HEAD vectorcallfunc vectorcall;
    BoundOperator* bound;
};

const BoundOperator& bound(PyObject* self) noexcept {
    return *reinterpret_cast<Object*>(self)->bound;
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, std::size_t count,
                     PyObject* keyword_names) {
    return guarded(
        [&] { return bound(self).call(args, PyVectorcall_NARGS(count), keyword_names); });
}

void deallocate(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    delete reinterpret_cast<Object*>(self)->bound;
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* get_desc(PyObject* self, void*) { return Py_NewRef(bound(self).desc().ptr()); }
PyObject* get_mode(PyObject* self, void*) { return Py_NewRef(bound(self).mode().ptr()); }

// The canonical plan, for people and tools; all strides and offsets are in bytes.
PyObject* get_plan(PyObject* self, void*) {
    return guarded([&]() -> PyObject* {
        const Plan& plan = bound(self).core().plan();
        py::list dims;
        for (int d = 0; d < plan.rank; ++d) {
            const Dim& dim = plan.dims[d];
            dims.append(py::dict(py::arg("size") = dim.size,
                                 py::arg("table_stride") = dim.table_stride,
                                 py::arg("item_stride") = dim.item_stride,
                                 py::arg("index_stride") = dim.index_stride));
        }
        py::list coordinates;
        for (int k = 0; k < plan.coordinate_count; ++k) {
            const Coordinate& coordinate = plan.coordinates[k];
            coordinates.append(py::dict(py::arg("axis") = coordinate.axis,
                                        py::arg("limit") = coordinate.limit,
                                        py::arg("table_stride") = coordinate.table_stride,
                                        py::arg("index_offset") = coordinate.index_offset));
        }
        return py::dict(py::arg("direction") =
                            plan.direction == Direction::kGather ? "gather" : "scatter",
                        py::arg("element_bytes") = plan.element_bytes,
                        py::arg("slice_bytes") = plan.slice_bytes, py::arg("dims") = dims,
                        py::arg("coordinates") = coordinates,
                        py::arg("copies_input") = plan.copies_source)
            .release()
            .ptr();
    });
}

PyObject* represent(PyObject* self) {
    return guarded([&]() -> PyObject* {
        const BoundOperator& op = bound(self);
        return py::str("<CompiledOperator {}, mode={!r}, on cpu>")
            .format(std::string(name(op.core().type())), op.mode())
            .release()
            .ptr();
    });
}

PyTypeObject* make_type() {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(Object, vectorcall), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr}};
    static PyGetSetDef properties[] = {
        {"desc", get_desc, nullptr, "The operator desc that was compiled.", nullptr},
        {"mode", get_mode, nullptr, "What an index out of range does.", nullptr},
        {"plan", get_plan, nullptr,
         "The plan that every call runs, as a dict; strides and offsets are in bytes.", nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr}};
    static constexpr const char* kDoc =
        "A compiled descriptor: op(input, indices[, updates], *, out=None) runs it.\n\n"
        "A packed tensor takes an array of its sizes, one with strides a 1-D buffer that holds "
        "its\n"
        "total size (rounded down to elements; it may be larger). Dtypes are those of the desc: "
        "nothing\n"
        "is converted. Without out, the output is new, with padding zero; in a given out, padding "
        "stays\n"
        "as it was. out may be input itself in a scatter; any other overlap is copied away first.\n"
        "A wrong dtype is a TypeError, a wrong shape or a read-only out a ValueError, an index out "
        "of\n"
        "range with mode=\"raise\" an IndexError that leaves out untouched.\n\n"
        ">>> import numpy as np\n"
        ">>> from dmlindex import DataType, Device, GatherElementsOperatorDesc, TensorDesc\n"
        ">>> x = TensorDesc(DataType.INT32, (2, 2))\n"
        ">>> i = TensorDesc(DataType.INT64, (2, 1))\n"
        ">>> y = TensorDesc(DataType.INT32, (2, 1))\n"
        ">>> op = Device().compile(GatherElementsOperatorDesc(x, i, y, axis=1))\n"
        ">>> op(np.array([[1, 2], [3, 4]], np.int32), np.array([[1], [0]]))\n"
        "array([[2],\n"
        "       [3]], dtype=int32)\n";
    static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                                  {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                  {Py_tp_repr, reinterpret_cast<void*>(represent)},
                                  {Py_tp_doc, const_cast<char*>(kDoc)},
                                  {Py_tp_members, members},
                                  {Py_tp_getset, properties},
                                  {0, nullptr}};
    static PyType_Spec spec = {"dmlindex.CompiledOperator", sizeof(Object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                   Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                               slots};
    PyObject* const type = PyType_FromSpec(&spec);
    if (type == nullptr) throw py::error_already_set();
    return reinterpret_cast<PyTypeObject*>(type);
}

PyTypeObject* operator_type_object = nullptr;  // set once, at import

py::object compile(py::object desc, const std::string& device, py::handle feature_level,
                   py::object mode, py::handle fill_value) {
    OperatorDesc core_desc = operator_desc_from_python(desc);
    const std::string op(name(operator_type(core_desc)));
    if (device != "cpu") {
        throw Error(ErrorKind::kDevice,
                    op + ": a descriptor cannot be compiled for \"" + device +
                        "\", only for \"cpu\"; there, call the function with device=\"" + device +
                        "\"");
    }
    const bool scatters = op.starts_with("SCATTER");
    if (mode.is_none()) mode = py::str(scatters ? "drop" : "clamp");
    CompileOptions options;
    options.feature_level = feature_level_from_python(feature_level);
    options.mode =
        mode_argument(op.c_str(), mode.ptr(), scatters ? Direction::kScatter : Direction::kGather);

    const DataType data_type = std::visit(
        [](const auto& d) {
            return d.input_tensor ? d.input_tensor->data_type : DataType::kUnknown;
        },
        core_desc);
    if (element_bytes(data_type) != 0) {  // else the desc is not valid, which is said below
        const py::object dtype = numpy_dtype(data_type);
        const py::object fill = fill_argument(op.c_str(), fill_value.ptr(),
                                              reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
        if (fill && scatters) {
            throw Error(ErrorKind::kValue, op + ": fill_value is " +
                                               std::string(py::repr(fill_value)) +
                                               ", expected 0: a scatter fills nothing");
        }
        if (fill && options.mode == Mode::kSkip) {
            const std::byte* const bytes = fill_bytes(fill);
            options.fill.assign(bytes, bytes + element_bytes(data_type));
        }
    }
    auto bound = std::make_unique<BoundOperator>(desc, mode, std::move(core_desc), options);
    PyObject* const self = operator_type_object->tp_alloc(operator_type_object, 0);
    if (self == nullptr) throw py::error_already_set();
    auto* const object = reinterpret_cast<Object*>(self);
    object->vectorcall = vectorcall;
    object->bound = bound.release();
    return py::reinterpret_steal<py::object>(self);
}

}  // namespace

void add_compiled_operator(py::module_& module) {
    out_keyword = PyUnicode_InternFromString("out");
    if (out_keyword == nullptr) throw py::error_already_set();
    operator_type_object = make_type();
    module.add_object("CompiledOperator", reinterpret_cast<PyObject*>(operator_type_object));
    module.def("compile", compile, py::arg("desc"), py::arg("device"), py::arg("feature_level"),
               py::arg("mode"), py::arg("fill_value"),
               "Compiles an operator desc for the CPU; see dmlindex.Device.compile.");
}

}  // namespace dmlindex::binding
