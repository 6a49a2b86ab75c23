#include "d3d12/host/loader_elf.hpp"

#include <elf.h>

#include <cstring>

namespace dmlindex::d3d12 {

// Nothing in the file is trusted: every offset is checked against its size, and headers are copied
// out, as they need not be aligned.
bool clear_executable_stack(std::span<std::byte> file) noexcept {
    Elf64_Ehdr header;
    if (file.size() < sizeof header) return false;
    std::memcpy(&header, file.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != EM_X86_64 || header.e_phentsize != sizeof(Elf64_Phdr) ||
        header.e_phoff > file.size() ||
        (file.size() - header.e_phoff) / sizeof(Elf64_Phdr) < header.e_phnum) {
        return false;
    }
    bool found = false;
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
        std::byte* const at = file.data() + header.e_phoff + i * sizeof(Elf64_Phdr);
        Elf64_Phdr segment;
        std::memcpy(&segment, at, sizeof segment);
        if (segment.p_type != PT_GNU_STACK || (segment.p_flags & PF_X) == 0) continue;
        segment.p_flags &= ~static_cast<Elf64_Word>(PF_X);
        std::memcpy(at, &segment, sizeof segment);
        found = true;
    }
    return found;
}

}  // namespace dmlindex::d3d12
