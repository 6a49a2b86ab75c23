#include "binding/descriptors/compiled_operator.hpp"

#include <structmember.h>

#include <memory>
#include <string>
#include <utility>

#include "binding/arrays/fill.hpp"
#include "binding/call/bound_operator.hpp"
#include "binding/call/device_place.hpp"
#include "binding/descriptors/descs.hpp"
#include "binding/python/errors.hpp"
#include "binding/python/options.hpp"
#include "binding/python/text.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {
namespace {

// The Python object. Its type is raw because pybind11's dispatch costs several times what a small
// call does.
struct Object {
    PyObject_HEAD vectorcallfunc vectorcall;
    BoundOperator* bound;
    // What it was compiled of: (desc, device, feature_level, mode, the element that fills as bytes,
    // duplicates). Operators are equal where these are.
    PyObject* identity;
};

const BoundOperator& bound(PyObject* self) noexcept {
    return *reinterpret_cast<Object*>(self)->bound;
}
PyObject* identity(PyObject* self) noexcept { return reinterpret_cast<Object*>(self)->identity; }

PyObject* vectorcall(PyObject* self, PyObject* const* args, std::size_t count,
                     PyObject* keyword_names) {
    return guarded(
        [&] { return bound(self).call(args, PyVectorcall_NARGS(count), keyword_names); });
}

void deallocate(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    delete reinterpret_cast<Object*>(self)->bound;
    Py_XDECREF(identity(self));
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* get_desc(PyObject* self, void*) { return Py_NewRef(bound(self).desc().ptr()); }
PyObject* get_mode(PyObject* self, void*) { return Py_NewRef(bound(self).mode().ptr()); }
PyObject* get_device(PyObject* self, void*) {
    return guarded([&] { return py::str(place_name(bound(self).device())).release().ptr(); });
}

PyObject* get_duplicates(PyObject* self, void*) {
    return Py_NewRef(PyTuple_GET_ITEM(identity(self), 5));
}

Py_hash_t hash(PyObject* self) { return PyObject_Hash(identity(self)); }
PyObject* compare(PyObject* self, PyObject* other, int operation) {
    const bool asks_for_equality = operation == Py_EQ || operation == Py_NE;
    if (!asks_for_equality || Py_TYPE(self) != Py_TYPE(other)) Py_RETURN_NOTIMPLEMENTED;
    return PyObject_RichCompare(identity(self), identity(other), operation);
}

// For pickle and copy.
PyObject* reduce(PyObject* self, PyObject*) {
    return guarded([&] {
        const py::object restore = py::module_::import("dmlindex._device").attr("restore_operator");
        return py::make_tuple(restore, py::handle(identity(self))).release().ptr();
    });
}

// The canonical plan, for people and tools; all strides and offsets are in bytes.
PyObject* get_plan(PyObject* self, void*) {
    return guarded([&]() -> PyObject* {
        const Plan& plan = bound(self).lowered().plan();
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

// What a function of Python says of an operator.
PyObject* told_by(const char* module, const char* function, PyObject* self) {
    return guarded([&] {
        return py::module_::import(module).attr(function)(py::handle(self)).release().ptr();
    });
}

PyObject* represent(PyObject* self) { return told_by("dmlindex._device", "operator_repr", self); }
PyObject* represent_as_html(PyObject* self, PyObject*) {
    return told_by("dmlindex._display.tables", "operator_html", self);
}
PyObject* explain(PyObject* self, PyObject*) {
    return told_by("dmlindex._explain.explanation", "explain", self);
}

PyTypeObject* make_type() {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(Object, vectorcall), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr}};
    static PyGetSetDef properties[] = {
        {"desc", get_desc, nullptr, "The operator desc that was compiled.", nullptr},
        {"mode", get_mode, nullptr, "What an index out of range does.", nullptr},
        {"device", get_device, nullptr, "The name of the device that it runs on.", nullptr},
        {"duplicates", get_duplicates, nullptr,
         "What several updates of one element do: \"allow\" or \"raise\".", nullptr},
        {"plan", get_plan, nullptr,
         "The plan that every call runs, as a dict; strides and offsets are in bytes.", nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr}};
    static constexpr const char* kDoc =
        "A compiled descriptor: `op(input, indices[, updates], *, out=None)` runs it.\n\n"
        "A tensor is an array of the desc's sizes, or of its natural shape: without 1s in front;\n"
        "where the desc has strides, the array's are exactly those. Or it is one dimension that\n"
        "holds the total size (rounded down to elements; it may be larger; a packed tensor's\n"
        "elements alone will do). Dtypes are those of the desc: nothing is converted.\n\n"
        "Without out, the output is new: of the desc's sizes, or with strides one dimension with\n"
        "padding zero. In a given out padding stays as it was, unless a scatter of\n"
        "mode=\"directml\" gets there by an index out of range. out may be input itself in a\n"
        "scatter; any other overlap is copied away first. On a D3D12 device, tensors of its own\n"
        "memory are taken too; see DeviceTensor.\n\n"
        "A wrong dtype is a TypeError, a wrong shape or a read-only out a ValueError, an index out "
        "of\n"
        "range with mode=\"raise\" an IndexError that leaves out untouched, and so are several\n"
        "updates of one element with duplicates=\"raise\".\n\n"
        "Operators compare and hash by what they were compiled of; they copy and pickle, and are\n"
        "compiled again for the device of the same name.\n\n"
        ">>> import numpy as np\n"
        ">>> from dmlindex import DataType, Device, GatherElementsOperatorDesc, TensorDesc\n"
        ">>> x = TensorDesc(DataType.INT32, (2, 2))\n"
        ">>> i = TensorDesc(DataType.INT64, (2, 1))\n"
        ">>> y = TensorDesc(DataType.INT32, (2, 1))\n"
        ">>> op = Device().compile(GatherElementsOperatorDesc(x, i, y, axis=1))\n"
        ">>> op(np.array([[1, 2], [3, 4]], np.int32), np.array([[1], [0]]))\n"
        "array([[2],\n"
        "       [3]], dtype=int32)\n";
    static PyMethodDef methods[] = {
        {"__reduce__", reduce, METH_NOARGS, "What pickle and copy make an equal operator of."},
        {"_repr_html_", represent_as_html, METH_NOARGS, "What notebooks show."},
        {"explain", explain, METH_NOARGS,
         "What the operator means, in words, index algebra and code; see dmlindex.explain."},
        {nullptr, nullptr, 0, nullptr}};
    static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                                  {Py_tp_hash, reinterpret_cast<void*>(hash)},
                                  {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                                  {Py_tp_methods, methods},
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
                   py::object mode, py::handle fill_value, py::object check_indices) {
    OperatorDesc core_desc = operator_desc_from_python(desc);
    const std::string op(name(operator_type(core_desc)));
    const bool scatters = op.starts_with("SCATTER");
    const Direction direction = scatters ? Direction::kScatter : Direction::kGather;
    CompileOptions options;
    options.feature_level = feature_level_from_python(feature_level);
    const Mode chosen =
        mode.is_none() ? options.mode : compile_mode_argument(op.c_str(), mode.ptr(), direction);
    options.mode = chosen;
    mode = py::str(mode_name(chosen, direction));

    const DataType data_type = std::visit(
        [](const auto& d) {
            return d.input_tensor ? d.input_tensor->data_type : DataType::kUnknown;
        },
        core_desc);
    if (element_bytes(data_type) != 0) {  // else the desc is not valid, which is said below
        const py::object dtype = numpy_dtype(data_type);
        const py::object fill = FillValue(op.c_str(), fill_value.ptr())
                                    .in(op.c_str(), reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
        if (fill && scatters) {
            throw Error(ErrorKind::kValue, op + ": fill_value is " + shown(fill_value.ptr()) +
                                               ", expected 0: a scatter fills nothing");
        }
        if (fill && chosen == Mode::kSkip) {
            const std::byte* const bytes = fill_bytes(fill);
            options.fill.assign(bytes, bytes + element_bytes(data_type));
        }
    }
    const py::bytes fill(reinterpret_cast<const char*>(options.fill.data()), options.fill.size());
    const char* const duplicates = check_indices.is_none() ? "allow" : "raise";
    py::tuple identity = py::make_tuple(desc, device, feature_level, mode, fill, duplicates);
    auto bound = std::make_unique<BoundOperator>(
        desc, mode, std::move(core_desc), std::move(options), device_or_cpu(op.c_str(), device),
        std::move(check_indices));
    PyObject* const self = operator_type_object->tp_alloc(operator_type_object, 0);
    if (self == nullptr) throw py::error_already_set();
    auto* const object = reinterpret_cast<Object*>(self);
    object->vectorcall = vectorcall;
    object->bound = bound.release();
    object->identity = identity.release().ptr();
    return py::reinterpret_steal<py::object>(self);
}

}  // namespace

void add_compiled_operator(py::module_& module) {
    operator_type_object = make_type();
    module.add_object("CompiledOperator", reinterpret_cast<PyObject*>(operator_type_object));
    module.def("compile", compile, py::arg("desc"), py::arg("device"), py::arg("feature_level"),
               py::arg("mode"), py::arg("fill_value"), py::arg("check_indices"),
               "Compiles an operator desc for the device of a name; see dmlindex.Device.compile.");
}

}  // namespace dmlindex::binding
