#include "binding/device/device_profile.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "binding/device/device_names.hpp"
#include "binding/python/gil.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {
namespace {

using Values = std::map<std::string, std::int64_t>;

void set_profile(d3d12::Device& device, const Values& values) {
    d3d12::Profile profile;
    for (const auto& [name, value] : values) {
        const auto* const found =
            std::find_if(std::begin(d3d12::kThresholds), std::end(d3d12::kThresholds),
                         [&](const d3d12::Threshold& one) { return one.name == name; });
        if (found == std::end(d3d12::kThresholds)) {
            throw Error(ErrorKind::kValue, "d3d12: no threshold is named " + name);
        }
        profile.*found->value = value;
    }
    const GilReleased released;
    device.set_profile(profile);
}

py::dict profile_of(d3d12::Device& device) {
    const d3d12::Profile profile = [&] {
        const GilReleased released;
        return device.profile();
    }();
    py::dict values;
    for (const d3d12::Threshold& one : d3d12::kThresholds) values[one.name] = profile.*one.value;
    return values;
}

py::dict thresholds() {
    py::dict found;
    for (const d3d12::Threshold& one : d3d12::kThresholds) {
        found[one.name] = py::make_tuple(d3d12::kDefaultProfile.*one.value, one.least, one.most);
    }
    return found;
}

}  // namespace

void use_kept_profile(d3d12::Device& device) {
    const d3d12::Adapter& adapter = device.adapter();
    const auto values = run_python([&] {
        return py::module_::import("dmlindex._profiles")
            .attr("thresholds_of")(adapter.description, adapter.driver)
            .cast<Values>();
    });
    if (!values.empty()) set_profile(device, values);
}

void add_device_profiles(py::module_& module) {
    module.def("d3d12_thresholds", &thresholds,
               "(default, least, most) of every threshold that a profile may have, by its name.");
    module.def(
        "d3d12_profile",
        [](const std::string& name) { return profile_of(*device_named("d3d12_profile", name)); },
        py::arg("device"), "The thresholds by which the device takes its kernels.");
    module.def(
        "d3d12_set_profile",
        [](const std::string& name, const Values& values) {
            set_profile(*device_named("d3d12_set_profile", name), values);
        },
        py::arg("device"), py::arg("values"),
        "Gives the device these thresholds; those that are not given are the defaults.");
}

}  // namespace dmlindex::binding
