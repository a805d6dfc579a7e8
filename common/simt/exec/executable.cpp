// SPDX-License-Identifier: MIT
#include "common/simt/exec/executable.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>

#include "common/simt/include/simt/kernel_launch.hpp"

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

constexpr size_t shared_alignment = 128;  // of each __shared__ variable, and of nothing else (simt/builtins.hpp)

// What the last argument of dl_iterate_phdr() points to: called for each module until it returns true.
using Visit = std::function<bool(const dl_phdr_info&)>;

int visit_module(dl_phdr_info* module, size_t, void* data) { return (*static_cast<Visit*>(data))(*module); }

std::atomic<const KernelModule*> first = nullptr;
std::atomic<size_t> count = 0;

std::string path_of(const dl_phdr_info& module) {
    if (!*module.dlpi_name) return "/proc/self/exe";
    const std::unique_ptr<char, void (*)(void*)> path(realpath(module.dlpi_name, nullptr), std::free);
    // (A module of the driver API is a file without a name, behind a name that only opens it.)
    return path && access(path.get(), R_OK) == 0 ? path.get() : module.dlpi_name;
}

}  // namespace

void announce_module(const void* address, void (*use_storage)()) {
    static std::mutex& mutex = *new std::mutex;
    const auto place = reinterpret_cast<uintptr_t>(address);
    const std::lock_guard lock(mutex);
    std::atomic<const KernelModule*>* end = &first;
    for (const KernelModule* known = *end; known; known = *end) {
        if (known->all.contains(place)) return;
        end = const_cast<std::atomic<const KernelModule*>*>(&known->next);
    }
    Visit visit = [&](const dl_phdr_info& module) {
        const MemoryRange all = segments(module, 0);
        if (!all.contains(place)) return false;
        size_t storage_bytes = 0;
        for (int i = 0; i < module.dlpi_phnum; ++i) {
            const auto& segment = module.dlpi_phdr[i];
            if (segment.p_type == PT_TLS && segment.p_align >= shared_alignment) storage_bytes = segment.p_memsz;
        }
        *end = new KernelModule{path_of(module),        module.dlpi_addr,      all,           segments(module, PF_X),
                                segments(module, PF_W), module.dlpi_tls_modid, storage_bytes, use_storage};
        ++count;
        return true;
    };
    dl_iterate_phdr(visit_module, &visit);
}

char* KernelModule::storage() const {
    if (storage_bytes == 0) return nullptr;
    char* found = nullptr;
    Visit visit = [&](const dl_phdr_info& module) {
        if (module.dlpi_tls_modid == storage_number) found = static_cast<char*>(module.dlpi_tls_data);
        return module.dlpi_tls_modid == storage_number;
    };
    dl_iterate_phdr(visit_module, &visit);
    if (found) return found;
    use_storage();  // a thread gets the storage of a library that the program has opened when it first needs it
    dl_iterate_phdr(visit_module, &visit);
    return found;
}

const KernelModule* first_module() { return first; }
size_t module_count() { return count; }

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
