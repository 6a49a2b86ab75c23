#include "binding/device/devices.hpp"

#include <pybind11/stl.h>

#include <cstdlib>
#include <string>

#include "binding/python/options.hpp"
#include "binding/python/signature.hpp"
#ifdef DMLINDEX_HAS_D3D12
#include "binding/device/device_tensor.hpp"
#endif
#include "binding/python/errors.hpp"
#include "binding/python/text.hpp"
#include "cpu/backend.hpp"
#include "dmlindex/error.hpp"
#include "parallel/parallel.hpp"

namespace dmlindex::binding {
namespace {

constexpr int kMostThreads = 1024;

constexpr Signature kSetNumThreads("set_num_threads(n)");
constexpr Signature kGetNumThreads("get_num_threads()");

#ifndef DMLINDEX_HAS_D3D12
constexpr const char* kNoD3d12 =
    "this build has no D3D12; install DirectX-Headers (Debian: directx-headers-dev) and build "
    "again";

// So that programs can name the type: isinstance(x, dmlindex.DeviceTensor).
struct NoDeviceTensor {};
#endif

void set_threads(const char* where, std::int64_t count) {
    if (count < 1 || count > kMostThreads) {
        throw Error(ErrorKind::kValue, std::string(where) + " is " + std::to_string(count) +
                                           ", expected 1 to " + std::to_string(kMostThreads));
    }
    set_num_threads(static_cast<int>(count));
}

void read_thread_environment() {
    const char* text = std::getenv("DMLINDEX_NUM_THREADS");
    if (text == nullptr || *text == '\0') return;
    char* end = nullptr;
    const long long count = std::strtoll(text, &end, 10);
    if (end == text || *end != '\0' || count < 1 || count > kMostThreads) {
        throw Error(ErrorKind::kValue, "the environment variable DMLINDEX_NUM_THREADS is \"" +
                                           std::string(text) + "\", expected a number from 1 to " +
                                           std::to_string(kMostThreads) +
                                           "; unset it to use all processors");
    }
    set_num_threads(static_cast<int>(count));
}

// What is wrong with the environment variables, or nothing. The package refuses to be imported with
// it: the exceptions of a module's own initialisation would all become ImportErrors, which
// programs take for a package that is not there.
std::string environment_error() {
    try {
        read_thread_environment();
        cpu::isa_in_use();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

PyObject* set_num_threads_entry(PyObject*, PyObject* const* args, Py_ssize_t count,
                                PyObject* keyword_names) {
    return guarded([&] {
        const Arguments given = parse_arguments(kSetNumThreads, args, count, keyword_names);
        set_threads("set_num_threads: n",
                    integer_argument("set_num_threads", "n", given[Parameter::kN], 0));
        return Py_NewRef(Py_None);
    });
}

PyObject* get_num_threads_entry(PyObject*, PyObject* const* args, Py_ssize_t count,
                                PyObject* keyword_names) {
    return guarded([&] {
        parse_arguments(kGetNumThreads, args, count, keyword_names);
        return PyLong_FromLong(get_num_threads());
    });
}

constexpr char kSetNumThreadsDoc[] =
    R"doc(
Sets how many threads a call on the CPU may use, from 1 to 1024, for the whole process.

The default is as many as the process may run on, or what the environment variable
DMLINDEX_NUM_THREADS says. Small calls use one thread whatever the number.

A number out of that range is a ValueError, what is no integer a TypeError.

>>> from dmlindex import get_num_threads, set_num_threads
>>> before = get_num_threads()
>>> set_num_threads(1)
>>> get_num_threads()
1
>>> set_num_threads(before)
)doc";

constexpr char kGetNumThreadsDoc[] =
    R"doc(
How many threads a call on the CPU may use; see set_num_threads.

>>> from dmlindex import get_num_threads
>>> get_num_threads() >= 1
True
)doc";

}  // namespace

std::string device_name(const char* op, py::handle device) {
    if (py::isinstance<py::str>(device)) return text_of(device);
    if (py::isinstance(device, py::module_::import("dmlindex._device").attr("Device"))) {
        return text_of(device.attr("name"));
    }
    throw Error(ErrorKind::kType, std::string(op) + ": device is " + shown(device.ptr()) +
                                      ", expected None, a device's name or a Device");
}

bool names_d3d12(const char* op, PyObject* device) {
    if (device == nullptr || device == Py_None) return false;
    return device_name(op, device).starts_with("d3d12");
}

std::string check_device(const char* op, PyObject* device) {
    if (device == nullptr || device == Py_None) return "cpu";
    const std::string operation(op);
    const std::string name = device_name(op, device);
    if (name == "cpu") return name;
    if (name.starts_with("d3d12")) {
#ifdef DMLINDEX_HAS_D3D12
        return name_of(*open_device(operation, name));
#else
        throw Error(ErrorKind::kDevice,
                    operation + ": device \"" + name + "\" is not there: " + kNoD3d12);
#endif
    }
    throw Error(ErrorKind::kValue,
                operation + ": device is \"" + name +
                    "\", expected \"cpu\" or a name that dmlindex.devices() lists");
}

void add_devices(py::module_& module) {
    module.attr("environment_error") = environment_error();
    thread_library();  // it is loaded here, where no other thread can be about to fork
    module.def(
        "check_device",
        [](const char* operation, py::handle device) {
            return check_device(operation, device.ptr());
        },
        py::arg("operation"), py::arg("device"),
        "The name that devices() lists it by; raises for a device that is not there.");
    static PyMethodDef methods[] = {
        method<set_num_threads_entry>(kSetNumThreads, kSetNumThreadsDoc),
        method<get_num_threads_entry>(kGetNumThreads, kGetNumThreadsDoc),
        {nullptr, nullptr, 0, nullptr}};
    if (PyModule_AddFunctions(module.ptr(), methods) != 0) throw py::error_already_set();
    module.def(
        "cpu_isa", &cpu::isa_in_use,
        "The instruction set of the kernels in use: \"scalar\", \"avx2\", … (DMLINDEX_CPU forces "
        "one).");
    module.def(
        "cpu_isas", &cpu::supported_isas,
        "The instruction sets that this machine has kernels for, each a value of DMLINDEX_CPU.");
#ifndef DMLINDEX_HAS_D3D12
    module.def(
        "d3d12_adapters", [] { return py::make_tuple(py::list(), std::string(kNoD3d12)); },
        "No adapters, and why there are none.");
    py::class_<NoDeviceTensor>(module, "DeviceTensor", py::is_final(),
                               "A tensor in a device's memory; this build of dmlindex has none.");
#endif
    module.def("thread_library", &thread_library,
               "Whose threads they are: \"oneTBB\", or, where that is not there, \"std::thread\".");
}

}  // namespace dmlindex::binding
