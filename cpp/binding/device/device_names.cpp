#include "binding/device/device_names.hpp"

#include <charconv>
#include <map>
#include <mutex>

#include "binding/device/device_profile.hpp"
#include "binding/python/gil.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::binding {
namespace {

std::string no_device(const std::string& op, const std::string& name, const std::string& why) {
    return op + ": device \"" + name + "\" is not there: " + why;
}

// The number in "d3d12:1"; -1 for "d3d12".
int adapter_number(const std::string& op, const std::string& name) {
    const std::string prefix = "d3d12";
    if (name == prefix) return -1;
    int number = -1;
    if (name.starts_with(prefix + ":")) {
        const char* const first = name.data() + prefix.size() + 1;
        const char* const last = name.data() + name.size();
        const auto [end, error] = std::from_chars(first, last, number);
        if (error == std::errc() && end == last && number >= 0) return number;
    }
    throw Error(ErrorKind::kValue,
                op + ": device is \"" + name +
                    "\", expected \"cpu\" or a name that dmlindex.devices() lists");
}

struct Found {
    std::shared_ptr<d3d12::Device> device;
    bool is_new;
};

Found find_device(const std::string& op, const std::string& name, bool replaces_lost) {
    const GilReleased released;  // loading D3D12, or opening a device, takes a while
    int number = adapter_number(op, name);
    std::string reason;
    const auto& adapters = d3d12::list_adapters(reason);
    if (!reason.empty()) throw Error(ErrorKind::kDevice, no_device(op, name, reason));
    if (number < 0) number = d3d12::preferred_adapter(adapters);
    if (number >= static_cast<int>(adapters.size())) {
        throw Error(ErrorKind::kDevice,
                    no_device(op, name,
                              "this machine's D3D12 adapters are \"d3d12:0\" to \"d3d12:" +
                                  std::to_string(adapters.size() - 1) + "\""));
    }
    // Never destroyed: at exit, a driver may be gone before static objects are.
    static std::mutex& mutex = *new std::mutex;
    static auto& devices = *new std::map<int, std::shared_ptr<d3d12::Device>>;
    const std::lock_guard lock(mutex);
    std::shared_ptr<d3d12::Device>& device = devices[number];
    const bool is_lost = device && device->is_lost();
    if (is_lost && !replaces_lost) {
        throw Error(ErrorKind::kDevice,
                    op + ": device \"" + name +
                        "\" was removed, and what it held is lost; open a new Device, and upload "
                        "the tensors again");
    }
    const bool is_new = !device || is_lost;
    if (is_new) device = d3d12::Device::open(number);
    return {device, is_new};
}

// Nobody waits for it meanwhile: others may use the device before it has its profile.
std::shared_ptr<d3d12::Device> with_profile(const Found& found) {
    if (found.is_new) use_kept_profile(*found.device);
    return found.device;
}

}  // namespace

std::shared_ptr<d3d12::Device> device_named(const std::string& op, const std::string& name) {
    return with_profile(find_device(op, name, false));
}

std::shared_ptr<d3d12::Device> open_device(const std::string& op, const std::string& name) {
    return with_profile(find_device(op, name, true));
}

std::string name_of(const d3d12::Device& device) {
    return "d3d12:" + std::to_string(device.adapter_index());
}

}  // namespace dmlindex::binding
