// SPDX-License-Identifier: MIT
#include "common/simt/exec/executable.hpp"

#include <link.h>

#include <algorithm>

namespace simt {

namespace {

// The loaded segments that have all these flags.
MemoryRange segments(const dl_phdr_info& module, unsigned flags) {
    MemoryRange range;
    for (int i = 0; i < module.dlpi_phnum; ++i) {
        const auto& segment = module.dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & flags) != flags) continue;
        const uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
        range.begin = range.end == 0 ? begin : std::min(range.begin, begin);
        range.end = std::max<uintptr_t>(range.end, begin + segment.p_memsz);
    }
    return range;
}

int find_executable(dl_phdr_info* module, size_t, void* data) {
    auto& found = *static_cast<Executable*>(data);
    found = {module->dlpi_addr, segments(*module, 0), segments(*module, PF_X), segments(*module, PF_W)};
    return 1;  // the first module is the executable
}

struct CodeSearch {
    uintptr_t address;
    MemoryRange code;
};

int find_code(dl_phdr_info* module, size_t, void* data) {
    auto& search = *static_cast<CodeSearch*>(data);
    const MemoryRange code = segments(*module, PF_X);
    if (!code.contains(search.address)) return 0;
    search.code = code;
    return 1;
}

}  // namespace

const Executable& executable() {
    static const Executable found = [] {
        Executable result;
        dl_iterate_phdr(find_executable, &result);
        return result;
    }();
    return found;
}

MemoryRange code_around(const void* address) {
    CodeSearch search{reinterpret_cast<uintptr_t>(address), {}};
    dl_iterate_phdr(find_code, &search);
    return search.code;
}

}  // namespace simt
