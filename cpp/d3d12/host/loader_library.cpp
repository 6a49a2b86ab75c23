#include "d3d12/host/loader_library.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "d3d12/host/loader_elf.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr off_t kMostBytes = off_t{256} << 20;  // of a library worth reading; vkd3d's have 2 MiB
constexpr unsigned kNoExecSeal = 0x0008U;       // MFD_NOEXEC_SEAL, which older headers lack

Opened open_as_it_is(const std::string& name) {
    Opened opened;
    opened.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened.handle != nullptr) return opened;
    const char* const said = dlerror();
    const std::string words = said == nullptr ? "no reason given" : said;
    // The same words about another library mean that this one is there, and lacks that one.
    const bool is_missing =
        words.find(name) != std::string::npos && words.ends_with(std::strerror(ENOENT));
    if (!is_missing) opened.refusal = words;
    return opened;
}

// The folders in which dlopen looks: LD_LIBRARY_PATH's and the system's. (Those that only
// /etc/ld.so.conf names are not told; a library there that is refused stays refused.)
std::vector<std::string> library_folders() {
    std::vector<std::string> folders;
#ifdef __GLIBC__
    void* const program = dlopen(nullptr, RTLD_NOW);
    Dl_serinfo size;
    if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return folders;
    std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
    auto* const all = reinterpret_cast<Dl_serinfo*>(memory.data());
    *all = size;
    if (dlinfo(program, RTLD_DI_SERINFO, all) != 0) return folders;
    for (unsigned i = 0; i < all->dls_cnt; ++i) folders.emplace_back(all->dls_serpath[i].dls_name);
#endif
    return folders;
}

// All of a file; nothing if it cannot be read.
std::vector<std::byte> read_file(const std::string& path) {
    std::vector<std::byte> bytes;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return bytes;
    struct stat status {};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kMostBytes) {
        bytes.resize(static_cast<std::size_t>(status.st_size));
    }
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = read(file, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        done += static_cast<std::size_t>(count);
    }
    close(file);
    bytes.resize(done);
    return bytes;
}

bool write_all(int file, const std::vector<std::byte>& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = write(file, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
}

// Not for execve: kernels may forbid such files altogether, and mapping is all that is done to it.
int new_memory_file(const char* name) {
    const int file = memfd_create(name, MFD_CLOEXEC | kNoExecSeal);
    return file < 0 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC)
                                       : file;  // before Linux 6.3
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool asks_for_executable_stack(const std::string& path) {
    std::vector<std::byte> bytes = read_file(path);
    return clear_executable_stack(bytes);
}

}  // namespace

std::string find_library(const std::string& name) {
    if (name.find('/') != std::string::npos) return name;
    for (const std::string& folder : library_folders()) {
        std::string path = folder + "/" + name;
        if (access(path.c_str(), R_OK) == 0) return path;
    }
    return {};
}

// In memory: a copy on disk would want a folder that may be written to and executed from, and
// somebody to remove it. A library that another one needs is found by the soname in it, whatever
// its file is called, if it was opened before.
Opened open_without_executable_stack(const std::string& path) {
    std::vector<std::byte> bytes = read_file(path);
    if (!clear_executable_stack(bytes)) return {};
    const int file = new_memory_file(file_name(path).c_str());
    if (file < 0) return {};
    Opened opened;
    if (write_all(file, bytes)) opened = open_as_it_is("/proc/self/fd/" + std::to_string(file));
    // Otherwise the file stays open: by this path it is known to dlopen, which would take the next
    // file that gets this number for the same library.
    if (opened.handle == nullptr) close(file);
    return opened;
}

// glibc 2.41 and newer refuse libraries that ask for an executable stack, as vkd3d 1.2's do by an
// oversight. Elsewhere, and with any other vkd3d, they are opened as they are.
Opened open_library(const std::string& name, const std::vector<std::string>& needs) {
    Opened opened = open_as_it_is(name);
    if (opened.handle != nullptr || opened.refusal.empty()) return opened;
    std::vector<std::string> all = needs;
    all.push_back(name);
    // The words may be in any language, but name the library that they are about.
    for (const std::string& one : all) {
        opened.wants_executable_stack |= opened.refusal.find(file_name(one)) != std::string::npos &&
                                         asks_for_executable_stack(find_library(one));
    }
    if (!opened.wants_executable_stack) return opened;
    Opened copy;
    for (const std::string& one : all) copy = open_without_executable_stack(find_library(one));
    if (copy.handle == nullptr && copy.refusal.empty()) copy = open_as_it_is(name);
    opened.handle = copy.handle;
    if (copy.handle == nullptr && copy.refusal != opened.refusal) {  // it lacks something else
        opened.refusal = copy.refusal;
        opened.wants_executable_stack = false;
    }
    return opened;
}

std::string explain(const std::string& name, const Opened& opened, const std::string& install) {
    if (opened.refusal.empty()) return name + " is not here: install " + install;
    std::string text = name + " is here, but cannot be loaded (" + opened.refusal + "): ";
    if (opened.wants_executable_stack) {
        return text +
               "install a newer one that asks for no executable stack, or set "
               "GLIBC_TUNABLES=glibc.rtld.execstack=2 in the environment before Python starts, "
               "which makes the stacks of that process executable";
    }
    return text + "install " + install + " anew, with all that it needs, for the processor type " +
           "that this Python is built for";
}

}  // namespace dmlindex::d3d12
