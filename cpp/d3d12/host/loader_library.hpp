// Opens a shared library on Linux, and says in words to act on why that fails.
#pragma once

#include <string>
#include <vector>

namespace dmlindex::d3d12 {

struct Opened {
    void* handle = nullptr;
    // Without a handle: what the dynamic loader has against the library; empty if it found none.
    std::string refusal;
    bool wants_executable_stack = false;  // that is what it has against it
};

// Opens a library by its soname, or by its path; never closed. needs: the sonames of libraries it
// needs that may be refused for their stack, too, those first that others of them need.
Opened open_library(const std::string& name, const std::vector<std::string>& needs = {});

// Where dlopen would find it, as far as is known; empty if nowhere.
std::string find_library(const std::string& name);

// Why it is not open, and what to do. install says what brings it: "vkd3d (Debian: libvkd3d1)".
std::string explain(const std::string& name, const Opened& opened, const std::string& install);

// Opens a copy of the file that does not ask for an executable stack. With neither a handle nor a
// refusal if the file does not ask for one either, or if there can be no copy.
Opened open_without_executable_stack(const std::string& path);

}  // namespace dmlindex::d3d12
