// How a library is opened that asks for an executable stack, which glibc 2.41 and newer refuse; and
// what is said of one that cannot be opened.
#if defined(DMLINDEX_HAS_D3D12) && !defined(_WIN32)

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "d3d12/host/loader_elf.hpp"
#include "d3d12/host/loader_library.hpp"

namespace dmlindex::d3d12 {
namespace {

using Bytes = std::vector<std::byte>;

Bytes read_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

// An ELF file of a header and two segments, the second being the stack's.
struct File {
    Elf64_Ehdr header{};
    Elf64_Phdr segments[2]{};
};

Bytes bytes_of(const File& file) {
    Bytes bytes(sizeof file);
    std::memcpy(bytes.data(), &file, sizeof file);
    return bytes;
}

File small_file() {
    File file;
    std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    file.header.e_ident[EI_DATA] = ELFDATA2LSB;
    file.header.e_machine = EM_X86_64;
    file.header.e_phoff = sizeof file.header;
    file.header.e_phentsize = sizeof(Elf64_Phdr);
    file.header.e_phnum = 2;
    file.segments[0].p_type = PT_LOAD;
    file.segments[0].p_flags = PF_R | PF_X;
    file.segments[1].p_type = PT_GNU_STACK;
    file.segments[1].p_flags = PF_R | PF_W | PF_X;
    return file;
}

bool is_stack_executable() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.ends_with("[stack]")) return line.find("rwxp") != std::string::npos;
    }
    return false;
}

TEST(LoaderElf, OnlyTheStacksFlagIsCleared) {
    Bytes bytes = bytes_of(small_file());
    ASSERT_TRUE(clear_executable_stack(bytes));
    File expected = small_file();
    expected.segments[1].p_flags = PF_R | PF_W;
    EXPECT_EQ(bytes, bytes_of(expected));
    EXPECT_FALSE(clear_executable_stack(bytes));
}

TEST(LoaderElf, WhatIsNoSuchFileStaysAsItIs) {
    std::vector<File> files(8, small_file());
    files[0].header.e_ident[0] = 0;
    files[1].header.e_ident[EI_CLASS] = ELFCLASS32;
    files[2].header.e_ident[EI_DATA] = ELFDATA2MSB;
    files[3].header.e_machine = EM_AARCH64;
    files[4].header.e_phentsize = sizeof(Elf32_Phdr);
    files[5].header.e_phoff = ~std::uint64_t{0};
    files[6].header.e_phoff = sizeof(File) - sizeof(Elf64_Phdr) - 1;
    files[7].header.e_phnum = 0xffff;
    for (const File& file : files) {
        Bytes bytes = bytes_of(file);
        EXPECT_FALSE(clear_executable_stack(bytes)) << &file - files.data();
        EXPECT_EQ(bytes, bytes_of(file));
    }
    const Bytes whole = bytes_of(small_file());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(clear_executable_stack(bytes)) << size;
    }
}

// For the sanitizers: nothing outside the file is read or written, whatever is in it.
TEST(LoaderElf, NoFileIsTrusted) {
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        Bytes bytes = bytes_of(small_file());
        bytes.resize(random() % (bytes.size() + 1));
        for (std::uint32_t n = random() % 4; n > 0 && !bytes.empty(); --n) {
            bytes[random() % std::min<std::size_t>(bytes.size(), 64)] =
                static_cast<std::byte>(random());
        }
        clear_executable_stack(bytes);
    }
}

#ifdef __x86_64__
int call(void* library) {
    const auto entry = reinterpret_cast<int (*)()>(dlsym(library, "dmlindex_test_outer"));
    return entry == nullptr ? 0 : entry();
}

TEST(LoaderLibrary, ACopyLeavesTheStackAsItIs) {
    Bytes inner = read_file(DMLINDEX_TEST_INNER);
    ASSERT_TRUE(clear_executable_stack(inner)) << "the linker ignored -z execstack";
    const bool before = is_stack_executable();
    ASSERT_NE(open_without_executable_stack(DMLINDEX_TEST_INNER).handle, nullptr);
    const Opened outer = open_without_executable_stack(DMLINDEX_TEST_OUTER);
    ASSERT_NE(outer.handle, nullptr) << outer.refusal;
    EXPECT_EQ(call(outer.handle), 42);
    EXPECT_EQ(is_stack_executable(), before);
    for (const char* path : {DMLINDEX_TEST_LACKING, "/nowhere/lib.so"}) {
        const Opened none = open_without_executable_stack(path);
        EXPECT_EQ(none.handle, nullptr);
        EXPECT_EQ(none.refusal, "");
    }
}

// In a process of its own, where nothing has opened the inner one: glibc before 2.41 refuses the
// outer one for want of it, later ones refuse both for their stacks.
TEST(LoaderLibrary, OpensWhatIsRefused) {
    const Opened opened = open_library(DMLINDEX_TEST_OUTER, {DMLINDEX_TEST_INNER});
    ASSERT_NE(opened.handle, nullptr) << opened.refusal;
    EXPECT_EQ(call(opened.handle), 42);
}
#endif

TEST(LoaderLibrary, NotFoundAndRefusedAreTwoThings) {
    const Opened missing = open_library("libdmlindex_test_none.so.1");
    EXPECT_EQ(missing.handle, nullptr);
    EXPECT_EQ(missing.refusal, "");
    EXPECT_EQ(explain("libnone.so.1", missing, "none (Debian: libnone1)"),
              "libnone.so.1 is not here: install none (Debian: libnone1)");

    const std::string path = testing::TempDir() + "dmlindex_test_junk.so";
    std::ofstream(path) << std::string(5000, 'x');
    const Opened junk = open_library(path, {path});
    EXPECT_EQ(junk.handle, nullptr);
    EXPECT_FALSE(junk.wants_executable_stack);
    const std::string text = explain("libjunk.so.1", junk, "junk (Debian: libjunk1)");
    EXPECT_TRUE(text.starts_with("libjunk.so.1 is here, but cannot be loaded (" + path)) << text;
    EXPECT_NE(text.find("install junk (Debian: libjunk1) anew"), std::string::npos) << text;
}

TEST(LoaderLibrary, ALibraryThatLacksAnotherIsNotMissingItself) {
    const Opened lacking = open_library(DMLINDEX_TEST_LACKING);
    EXPECT_EQ(lacking.handle, nullptr);
    EXPECT_NE(lacking.refusal.find("libdmlindex_test_absent.so"), std::string::npos)
        << lacking.refusal;
}

TEST(LoaderLibrary, AStackThatStaysRefusedIsExplained) {
    Opened opened;
    opened.refusal = "cannot enable executable stack";
    opened.wants_executable_stack = true;
    const std::string text = explain("libstack.so.1", opened, "it");
    EXPECT_NE(text.find("(cannot enable executable stack): install a newer one"),
              std::string::npos);
    EXPECT_NE(text.find("GLIBC_TUNABLES=glibc.rtld.execstack=2"), std::string::npos);
}

}  // namespace
}  // namespace dmlindex::d3d12

#endif
