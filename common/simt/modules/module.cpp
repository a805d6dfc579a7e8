// SPDX-License-Identifier: MIT
// The driver API: modules, and what is in them. A module is a shared library that simcc has made, without
// a simulator of its own: it uses that of the program. A CUfunction is the kernel's address, and a CUlibrary or CUkernel
// is the module or the kernel.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/modules/context.hpp"
#include "common/simt/modules/module_text.hpp"
#include "common/simt/runtime/kernels.hpp"

using namespace simt;

struct CUmod_st {
    void* library;  ///< dlopen's

    uintptr_t begin, end;
};

namespace {

// ---- loading

struct Modules {
    std::mutex mutex;
    std::set<CUmodule> live;
};

Modules& modules() {
    static Modules& all = *new Modules;
    return all;
}

bool is_live(CUmodule module) {
    const std::lock_guard lock(modules().mutex);
    return modules().live.count(module) != 0;
}

void say(const std::string& what) { std::fprintf(stderr, "simcc: %s\n", what.c_str()); }

constexpr const char* how_to = "the simulator's modules are made by simcc -cubin, -fatbin or -ptx, or by NVRTC";

/// Why the image is none of the simulator's modules; CUDA_SUCCESS if it may be one.
CUresult refusal_of(const void* image) {
    const auto* const bytes = static_cast<const unsigned char*>(image);
    constexpr unsigned machine_of_gpus = 190;
    if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) {
        const auto* const header = static_cast<const ElfW(Ehdr)*>(image);
        if (header->e_machine != machine_of_gpus && header->e_type == ET_DYN) return CUDA_SUCCESS;
        say(std::string("this module holds code for a GPU, which cannot run here; ") + how_to);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    constexpr unsigned char of_fatbin[] = {0x50, 0xed, 0x55, 0xba};
    if (std::memcmp(bytes, of_fatbin, sizeof of_fatbin) == 0) {
        say(std::string("this module holds code for a GPU, which cannot run here; ") + how_to);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    const bool is_text = bytes[0] == '.' || bytes[0] == '/' || bytes[0] == '\n' || bytes[0] == ' ' || bytes[0] == '\t';
    say(std::string(is_text ? "PTX text cannot run here; " : "this is no module; ") + how_to);
    return is_text ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_IMAGE;
}

/// The bytes of the file that begins here: it ends with its last section, or the table of these.
size_t bytes_of(const void* image) {
    const auto* const header = static_cast<const ElfW(Ehdr)*>(image);
    size_t end = header->e_shoff + size_t{header->e_shentsize} * header->e_shnum;
    const char* const sections = static_cast<const char*>(image) + header->e_shoff;
    for (unsigned i = 0; i < header->e_shnum; ++i) {
        ElfW(Shdr) section;
        std::memcpy(&section, sections + size_t{i} * header->e_shentsize, sizeof section);
        if (section.sh_type != SHT_NOBITS) end = std::max<size_t>(end, section.sh_offset + section.sh_size);
    }
    return end;
}

/// Maps the image through a file without a name. It stays, as other libraries with kernels do, and so does the file,
/// from which the runtime may still read the kernels' properties.
void* open_library(const void* image, size_t bytes) {
    const int file = memfd_create("simcc-module", MFD_CLOEXEC);
    if (file < 0) return nullptr;
    for (size_t done = 0; done < bytes;) {
        const ssize_t wrote = write(file, static_cast<const char*>(image) + done, bytes - done);
        if (wrote <= 0) {
            close(file);
            return nullptr;
        }
        done += static_cast<size_t>(wrote);
    }
    return dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
}

CUresult load(CUmodule* module, const void* image) {
    if (!module || !image) return CUDA_ERROR_INVALID_VALUE;
    *module = nullptr;
    std::string decoded;
    if (is_module_text(image)) {
        decoded = module_of_text(static_cast<const char*>(image));
        image = decoded.data();
    }
    if (const CUresult result = refusal_of(image)) return result;
    void* const library = open_library(image, bytes_of(image));
    if (!library) {
        const char* const text = dlerror();
        const std::string why = text ? text : "no file could be made";
        const bool is_checked = why.find("__tsan") != why.npos || why.find("__sanitizer") != why.npos;
        const bool is_unlinked = why.find("undefined symbol") != why.npos;
        say("a module cannot be loaded: " + why +
            (is_checked    ? " (build the program with -G, too)"
             : is_unlinked ? " (link the program with simcc and -lcuda)"
                           : ""));
        return is_unlinked ? CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND : CUDA_ERROR_INVALID_IMAGE;
    }
    link_map* map = nullptr;
    dlinfo(library, RTLD_DI_LINKMAP, &map);
    auto* const loaded = new CUmod_st{library, map->l_addr, map->l_addr};
    const auto visit = [](dl_phdr_info* info, size_t, void* data) {
        auto& found = *static_cast<CUmod_st*>(data);
        if (info->dlpi_addr != found.begin) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& segment = info->dlpi_phdr[i];
            if (segment.p_type == PT_LOAD)
                found.end = std::max<uintptr_t>(found.end, found.begin + segment.p_vaddr + segment.p_memsz);
        }
        return 1;
    };
    dl_iterate_phdr(visit, loaded);
    const std::lock_guard lock(modules().mutex);
    modules().live.insert(*module = loaded);
    return CUDA_SUCCESS;
}

/// The bytes of a file; none if it is no file, or cannot be read.
std::optional<std::string> contents_of(const char* path) {
    std::error_code error;
    std::ifstream file(path, std::ios::binary);
    if (!file || !std::filesystem::is_regular_file(path, error)) return {};
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

/// Nothing is compiled when a module is loaded, so the logs that the options ask for are empty.
void empty_logs(unsigned count, const CUjit_option* options, void** values) {
    if (!options || !values) return;
    for (unsigned i = 0; i < count; ++i) {
        const bool is_log = options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER;
        if (is_log && values[i]) *static_cast<char*>(values[i]) = '\0';
    }
}

CUresult load_file(CUmodule* module, const char* path) {
    if (!module || !path) return CUDA_ERROR_INVALID_VALUE;
    std::optional<std::string> contents = contents_of(path);
    if (!contents) return CUDA_ERROR_FILE_NOT_FOUND;
    std::string& image = *contents;
    if (is_module_text(image.c_str())) image = module_of_text(image);
    constexpr size_t least = sizeof(ElfW(Ehdr));
    if (image.size() < least) image.resize(least);
    if (refusal_of(image.data()) == CUDA_SUCCESS && bytes_of(image.data()) > image.size())
        return CUDA_ERROR_INVALID_IMAGE;
    return load(module, image.data());
}

/// The address of a kernel or variable of the module's own; null if it has none of this name.
void* find(CUmodule module, const char* name) {
    void* const found = dlsym(module->library, name);
    const auto address = reinterpret_cast<uintptr_t>(found);
    return address >= module->begin && address < module->end ? found : nullptr;
}

template <typename Handle>
CUresult find_kernel(Handle* kernel, CUmodule module, const char* name) {
    if (const CUresult result = driver_state()) return result;
    if (!kernel || !name) return CUDA_ERROR_INVALID_VALUE;
    if (!is_live(module)) return CUDA_ERROR_INVALID_HANDLE;
    void* const found = find(module, name);
    const bool is_kernel = found && signature_of(found).trampoline;
    *kernel = is_kernel ? static_cast<Handle>(found) : nullptr;
    return is_kernel ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult find_variable(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name, bool is_managed) {
    if (const CUresult result = driver_state()) return result;
    if (!name || (!address && !bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (!is_live(module)) return CUDA_ERROR_INVALID_HANDLE;
    const DriverSection section;
    void* const found = find(module, name);
    const auto allocation = runtime().memory.find(found);
    if (!found || !allocation || (is_managed && allocation->kind != MemoryKind::managed)) return CUDA_ERROR_NOT_FOUND;
    if (address) *address = address_of(found);
    if (bytes) *bytes = allocation->bytes;
    return CUDA_SUCCESS;
}

std::vector<const void*> kernels_of(CUmodule module) { return kernels_between(module->begin, module->end); }

CUresult count_kernels(unsigned* count, CUmodule module) {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    if (!is_live(module)) return CUDA_ERROR_INVALID_HANDLE;
    *count = static_cast<unsigned>(kernels_of(module).size());
    return CUDA_SUCCESS;
}

template <typename Handle>
CUresult enumerate(Handle* kernels, unsigned count, CUmodule module) {
    if (!kernels) return CUDA_ERROR_INVALID_VALUE;
    if (!is_live(module)) return CUDA_ERROR_INVALID_HANDLE;
    const auto found = kernels_of(module);
    for (size_t i = 0; i < count && i < found.size(); ++i)
        kernels[i] = reinterpret_cast<Handle>(const_cast<void*>(found[i]));
    return CUDA_SUCCESS;
}

CUresult unload(CUmodule module) {
    if (const CUresult result = driver_state()) return result;
    {
        const std::lock_guard lock(modules().mutex);
        if (modules().live.erase(module) == 0) return CUDA_ERROR_INVALID_HANDLE;
    }
    return driver_call(cudaDeviceSynchronize);
}

CUmodule module_of(CUlibrary library) { return reinterpret_cast<CUmodule>(library); }

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    const CUresult result = context_state();
    return result ? result : load(module, image);
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count, CUjit_option* options,
                            void** values) {
    empty_logs(count, options, values);
    return cuModuleLoadData(module, image);
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) { return cuModuleLoadData(module, image); }
CUresult cuModuleLoad(CUmodule* module, const char* path) {
    const CUresult result = context_state();
    return result ? result : load_file(module, path);
}
CUresult cuModuleUnload(CUmodule module) { return unload(module); }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    return find_kernel(function, module, name);
}
CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule module) { return count_kernels(count, module); }
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int count, CUmodule module) {
    return enumerate(functions, count, module);
}
CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
    return find_variable(address, bytes, module, name, false);
}

// ---- linking at run time: of one image, which is whole already

struct CUlinkState_st {
    std::string image;
};

CUresult cuLinkCreate(unsigned int count, CUjit_option* options, void** values, CUlinkState* state) {
    if (const CUresult result = context_state()) return result;
    empty_logs(count, options, values);
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    *state = new CUlinkState_st;
    return CUDA_SUCCESS;
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType, void* data, size_t bytes, const char*, unsigned int,
                       CUjit_option*, void**) {
    if (!state || !data || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    std::string image(static_cast<const char*>(data), bytes);
    if (is_module_text(image.c_str())) image = module_of_text(image);
    if (image.size() < sizeof(ElfW(Ehdr))) image.resize(sizeof(ElfW(Ehdr)));
    if (const CUresult result = refusal_of(image.data())) return result;
    if (!state->image.empty()) {
        say("modules cannot be linked with each other at run time; compile their sources as one");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    state->image = std::move(image);
    return CUDA_SUCCESS;
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned int count,
                       CUjit_option* options, void** values) {
    if (!state || !path) return CUDA_ERROR_INVALID_VALUE;
    std::optional<std::string> image = contents_of(path);
    if (!image) return CUDA_ERROR_FILE_NOT_FOUND;
    return cuLinkAddData(state, type, image->data(), image->size(), path, count, options, values);
}
CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
    if (!state || !image || state->image.empty()) return CUDA_ERROR_INVALID_VALUE;
    *image = state->image.data();
    if (bytes) *bytes = state->image.size();
    return CUDA_SUCCESS;
}
CUresult cuLinkDestroy(CUlinkState state) {
    delete state;
    return CUDA_SUCCESS;
}

// ---- libraries, which need no context

CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option*, void**, unsigned int, CUlibraryOption*,
                           void**, unsigned int) {
    const CUresult result = driver_state();
    return result ? result : load(reinterpret_cast<CUmodule*>(library), image);
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**, unsigned int,
                               CUlibraryOption*, void**, unsigned int) {
    const CUresult result = driver_state();
    return result ? result : load_file(reinterpret_cast<CUmodule*>(library), path);
}
CUresult cuLibraryUnload(CUlibrary library) { return unload(module_of(library)); }
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
    return find_kernel(kernel, module_of(library), name);
}
CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary library) {
    return count_kernels(count, module_of(library));
}
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int count, CUlibrary library) {
    return enumerate(kernels, count, module_of(library));
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    if (!is_live(module_of(library))) return CUDA_ERROR_INVALID_HANDLE;
    *module = module_of(library);
    return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name) {
    return find_variable(address, bytes, module_of(library), name, false);
}
CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name) {
    return find_variable(address, bytes, module_of(library), name, true);
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    if (!function || !kernel) return CUDA_ERROR_INVALID_VALUE;
    *function = reinterpret_cast<CUfunction>(kernel);
    return CUDA_SUCCESS;
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
    return cuFuncGetName(name, reinterpret_cast<CUfunction>(kernel));
}

// ---- kernels

CUresult cuFuncGetName(const char** name, CUfunction function) {
    Dl_info found;
    if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
    if (!signature_of(function).trampoline || !dladdr(function, &found) || !found.dli_sname)
        return CUDA_ERROR_INVALID_HANDLE;
    *name = found.dli_sname;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    const auto address = reinterpret_cast<uintptr_t>(function);
    const std::lock_guard lock(modules().mutex);
    for (CUmodule one : modules().live) {
        if (address >= one->begin && address < one->end) return *module = one, CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_HANDLE;
}

// ---- the same for the runtime API, which needs no cuInit()

namespace {

/// The runtime's error for a result of the driver, which has the same number.
template <typename Body>
cudaError_t reported(Body body) {
    return api([&] { return static_cast<cudaError_t>(body()); });
}

}  // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* image, cudaJitOption*, void**, unsigned int,
                                cudaLibraryOption*, void**, unsigned int) {
    return reported([=] { return load(reinterpret_cast<CUmodule*>(library), image); });
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*, void**, unsigned int,
                                    cudaLibraryOption*, void**, unsigned int) {
    return reported([=] { return load_file(reinterpret_cast<CUmodule*>(library), path); });
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    return reported([=] { return cuLibraryUnload(library); });
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
    return reported([=] { return cuLibraryGetKernel(kernel, library, name); });
}
cudaError_t cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t library) {
    return reported([=] { return cuLibraryGetKernelCount(count, library); });
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned int count, cudaLibrary_t library) {
    return reported([=] { return cuLibraryEnumerateKernels(kernels, count, library); });
}
cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
    return reported([=] { return cuLibraryGetGlobal(reinterpret_cast<CUdeviceptr*>(address), bytes, library, name); });
}
cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
    return reported([=] { return cuLibraryGetManaged(reinterpret_cast<CUdeviceptr*>(address), bytes, library, name); });
}

// (A kernel's handle is its address, so every function that takes a kernel takes the handle.)
cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* kernel) {
    return api([=] {
        if (!handle || !kernel) return cudaErrorInvalidValue;
        if (!signature_of(kernel).trampoline) return cudaErrorInvalidDeviceFunction;
        *handle = static_cast<cudaKernel_t>(const_cast<void*>(kernel));
        return cudaSuccess;
    });
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* kernel) {
    return cudaGetKernel(reinterpret_cast<cudaKernel_t*>(function), kernel);
}
cudaError_t cudaFuncGetName(const char** name, const void* kernel) {
    return reported([=] { return cuFuncGetName(name, static_cast<CUfunction>(const_cast<void*>(kernel))); });
}
cudaError_t cudaFuncGetParamInfo(const void* kernel, size_t index, size_t* offset, size_t* bytes) {
    return reported(
        [=] { return cuFuncGetParamInfo(static_cast<CUfunction>(const_cast<void*>(kernel)), index, offset, bytes); });
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned int version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult* status) {
    return api([=] {
        if (!symbol || !function) return cudaErrorInvalidValue;
        CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
        cuGetProcAddress_v2(symbol, function, static_cast<int>(version), flags, &found);
        if (status) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
        return *function || status ? cudaSuccess : cudaErrorSymbolNotFound;
    });
}
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDA_VERSION, flags, status);
}
