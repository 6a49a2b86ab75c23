// What Python asks of D3D12 devices beside running operators: mostly for benchmarks and tests.

#include "binding/device/device_tools.hpp"

#include <pybind11/stl.h>

#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "binding/arrays/dtypes.hpp"
#include "binding/device/device_names.hpp"
#include "binding/device/waiting.hpp"
#include "binding/python/gil.hpp"
#include "d3d12/backend.hpp"

namespace dmlindex::binding {
namespace {

// (description, driver, memory_bytes, is_software) of every adapter, and why there are none.
py::tuple adapters() {
    std::string reason;
    const auto& adapters = [&]() -> const std::vector<d3d12::Adapter>& {
        const GilReleased released;  // the first time it loads libraries
        return d3d12::list_adapters(reason);
    }();
    py::list found;
    for (const d3d12::Adapter& adapter : adapters) {
        found.append(py::make_tuple(adapter.description, adapter.driver, adapter.memory_bytes,
                                    adapter.is_software));
    }
    return py::make_tuple(found, reason);
}

}  // namespace

void add_device_tools(py::module_& module) {
    module.def(
        "synchronize",
        [](const std::string& name) {
            const auto device = device_named("synchronize", name);
            wait_interruptibly(
                [&](const d3d12::Interrupt& interrupt) { device->synchronize(interrupt); });
        },
        py::arg("device"),
        "Waits for the device of that name; raises the first error not yet raised.");
    module.def(
        "d3d12_used_bytes",
        [](const std::string& name) {
            const auto device = device_named("d3d12_used_bytes", name);
            const GilReleased released;
            return device->used_bytes();
        },
        py::arg("device"), "How much of its memory the device has given away.");
    module.def(
        "d3d12_remove",
        [](const std::string& name) {
            const auto device = device_named("d3d12_remove", name);
            const GilReleased released;
            device->remove();
        },
        py::arg("device"), "Removes the device, as a crashing driver does: for tests.");
    module.def(
        "d3d12_fail_allocations",
        [](const std::string& name, std::uint64_t passing, std::uint64_t failing) {
            const auto device = device_named("d3d12_fail_allocations", name);
            const GilReleased released;
            return device->fail_allocations(passing, failing);
        },
        py::arg("device"), py::arg("passing"), py::arg("failing"),
        "Lets that many allocations of the device pass, and that many fail; says how many of those "
        "asked for before have not failed: for tests.");
    module.def(
        "d3d12_limit_views",
        [](const std::string& name, std::int64_t texels) {
            device_named("d3d12_limit_views", name)->limit_views(texels);
        },
        py::arg("device"), py::arg("texels"),
        "Has views reach so few texels, not 2^27: for tests.");
    module.def(
        "d3d12_limit_rows",
        [](const std::string& name, std::uint64_t groups) {
            device_named("d3d12_limit_rows", name)->limit_rows(groups);
        },
        py::arg("device"), py::arg("groups"),
        "Has rows of a dispatch take so few groups, not 65535: for tests.");
    module.def(
        "d3d12_hold",
        [](const std::string& name, const py::function& body) {
            const auto device = device_named("d3d12_hold", name);
            std::unique_lock<std::timed_mutex> lock;
            {
                const GilReleased released;
                lock = device->hold();
            }
            body();
        },
        py::arg("device"), py::arg("body"),
        "Calls body() while nobody else gets at the device: for tests.");
    module.def("d3d12_adapters", &adapters,
               "(description, driver, memory_bytes, is_software) of every adapter, and why there "
               "are none.");
    module.def(
        "d3d12_has_reductions",
        [](const py::object& dtype) {
            const py::object found = py::module_::import("numpy").attr("dtype")(dtype);
            auto* const descr = reinterpret_cast<PyArray_Descr*>(found.ptr());
            return d3d12::has_reductions(
                arithmetic("has_reduction", descr, Reduction::kAdd).value_type);
        },
        py::arg("dtype"),
        "Whether D3D12 devices have reductions on a dtype that the CPU has them on.");
    module.def(
        "d3d12_measure_laps",
        [](bool measured) {
            d3d12::laps.are_measured = measured;
            py::dict found;
            for (std::size_t i = 0; i < std::size(d3d12::kPartNames); ++i) {
                found[d3d12::kPartNames[i]] = d3d12::laps.nanoseconds[i].exchange(0);
            }
            return found;
        },
        py::arg("measured"),
        "What the parts of calls on D3D12 devices took since the last time, in nanoseconds; from "
        "now on they are measured, or not.");
    module.def(
        "d3d12_mark_time",
        [](const std::string& name) {
            const auto device = device_named("d3d12_mark_time", name);
            const GilReleased released;
            device->mark_time();
        },
        py::arg("device"), "Marks a point of the device's queue, for d3d12_take_times.");
    module.def(
        "d3d12_take_times",
        [](const std::string& name) {
            const auto device = device_named("d3d12_take_times", name);
            const GilReleased released;
            return device->take_times();
        },
        py::arg("device"),
        "When the device was at each point marked since the last call, in nanoseconds.");
    module.def(
        "d3d12_adds",
        [](const std::string& name) {
            const d3d12::AtomicAdds adds = device_named("d3d12_adds", name)->adds();
            std::vector<int> bytes;
            if (adds.halves) bytes.push_back(2);
            if (adds.floats) bytes.push_back(4);
            return bytes;
        },
        py::arg("device"),
        "Of how many bytes floats are that the device has atomics for that add.");
    module.def(
        "d3d12_binding",
        [](const std::string& name) {
            return device_named("d3d12_binding", name)->uses_typed_views() ? "table" : "root";
        },
        py::arg("device"), "How the device binds what kernels work on: \"table\" or \"root\".");
    module.def(
        "d3d12_kernels",
        [](const std::string& name) {
            const auto device = device_named("d3d12_kernels", name);
            const GilReleased released;
            return device->take_kernels();
        },
        py::arg("device"), "The kernels that the device was told to run since the last call.");
}

}  // namespace dmlindex::binding
